/**
 * What `sam local` reads from the templates, according to the sources of the AWS SAM CLI (samcli/lib/providers,
 * samcli/local).
 */
import { access, cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { prepareForSam } from '#infra/local/sam-assembly.ts';
import { findAssembly } from '#test/harness/stage.ts';
import { temporaryFolder } from './child.ts';

const TARGET = {
  tableName: 'results',
  bucketName: 'files',
  sqsEndpoint: 'http://stores.example:4566',
  origin: 'http://127.0.0.1:3000',
};

const Resource = z.object({
  Type: z.string(),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  Properties: z.looseObject({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).optional() }),
});
const Template = z.object({ Resources: z.record(z.string(), Resource.partial({ Properties: true })) });

async function resourcesIn(directory: string, type: string) {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.template.json'));
  const all = files.map(async (name) => {
    const { Resources } = Template.parse(JSON.parse(await readFile(join(directory, name), 'utf8')));
    return Object.entries(Resources).filter(([, { Type }]) => Type === type);
  });
  return (await Promise.all(all)).flat();
}

/** A copy of the templates of the test assembly, without bundles. */
async function copied(): Promise<string> {
  const directory = await temporaryFolder();
  const assembly = await findAssembly();
  const files = (await readdir(assembly)).filter((name) => name.endsWith('.json'));
  await Promise.all(files.map((name) => cp(join(assembly, name), join(directory, name))));
  return directory;
}

const namesOf = (variables: object | undefined): string[] => Object.keys(variables ?? {}).sort();

test('each function and each nested stack of the template names its bundle or template in the place where `sam local` looks for it', async () => {
  const assembly = await findAssembly();
  const functions = await resourcesIn(assembly, 'AWS::Lambda::Function');
  const stacks = await resourcesIn(assembly, 'AWS::CloudFormation::Stack');
  expect(functions.length).toBeGreaterThan(80);
  expect(stacks.length).toBeGreaterThan(8);
  for (const [, { Metadata }] of functions) {
    expect(Metadata).toMatchObject({ 'aws:asset:property': 'Code', 'aws:asset:path': expect.any(String) });
    const bundle = await readdir(join(assembly, String(Metadata['aws:asset:path'])));
    expect(bundle.filter((name) => name.endsWith('.js'))).toHaveLength(1);
  }
  for (const [, { Metadata }] of stacks) {
    expect(Metadata).toMatchObject({ 'aws:asset:property': 'TemplateURL' });
    await access(join(assembly, String(Metadata['aws:asset:path'])));
  }
});

test('For every function, the variables for `sam local` are those of the template and AWS_ENDPOINT_URL, and each has a value', async () => {
  const declared = await resourcesIn(await findAssembly(), 'AWS::Lambda::Function');
  const variables = await prepareForSam(await copied(), TARGET);
  expect(Object.keys(variables).sort()).toEqual(declared.map(([id]) => id).sort());
  for (const [id, { Properties }] of declared) {
    const names = [...namesOf(Properties?.Environment?.Variables), 'AWS_ENDPOINT_URL'].sort();
    expect(namesOf(variables[id]), id).toEqual(names);
    expect(Object.values(variables[id] ?? {}).filter((value) => value === '' || value.includes('[object'))).toEqual([]);
  }
});

test('the variables for `sam local` contain the given stores and addresses, and queue URLs at the given endpoint', async () => {
  const variables = await prepareForSam(await copied(), TARGET);
  const [relay] = Object.entries(variables).flatMap(([id, own]) => (id.startsWith('relayOutbox') ? [own] : []));
  expect(relay).toMatchObject({
    TABLE_NAME: 'results',
    ARTIFACTS_BUCKET: 'files',
    PUBLIC_ORIGIN: 'http://127.0.0.1:3000',
    AWS_ENDPOINT_URL: 'http://stores.example:4566',
    DELIVERY_QUEUE_URL: 'http://stores.example:4566/000000000000/rundown-dev-deliverWebhook',
    EVENT_BUS_NAME: 'rundown-dev',
  });
});

const Api = z.object({
  Body: z.object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ security: z.array(z.unknown()) }))),
  }),
});

/** Counts the security schemes that each operation of the API requires, and returns the different counts. */
async function schemesIn(directory: string): Promise<Set<number>> {
  const [api] = await resourcesIn(directory, 'AWS::ApiGateway::RestApi');
  const { paths } = Api.parse(api?.[1].Properties).Body;
  return new Set(Object.values(paths).flatMap((path) => Object.values(path).map(({ security }) => security.length)));
}

test('the templates for `sam local` omit the parts that `sam local` refuses: gateway keys, and a stage in another stack', async () => {
  const directory = await copied();
  expect(await schemesIn(directory)).toEqual(new Set([0, 2]));
  expect(await resourcesIn(directory, 'AWS::ApiGateway::Stage')).toHaveLength(1);
  await prepareForSam(directory, TARGET);
  expect(await schemesIn(directory)).toEqual(new Set([0, 1]));
  expect(await resourcesIn(directory, 'AWS::ApiGateway::Stage')).toEqual([]);
  for (const [, { Properties }] of await resourcesIn(directory, 'AWS::Lambda::Function'))
    expect(Properties?.Environment?.Variables).toHaveProperty('AWS_ENDPOINT_URL');
});
