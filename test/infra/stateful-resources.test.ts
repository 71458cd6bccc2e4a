/**
 * What a deployment could lose: resources with data, their protection, and physical names that must stay in their
 * stack.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { assemblyWith } from '#test/harness/stage.ts';
import { dangers, readList, type StatefulResources, statefulResources, VARIANTS } from './stateful-resources.ts';
import { type Synthesized, synthesizedIn } from './synthesized.ts';

let variants: Array<readonly [name: string, template: Synthesized]>;
let assemblies: ReadonlyMap<string, string>;
let listed: StatefulResources;
let found: StatefulResources;
beforeAll(async () => {
  assemblies = new Map(
    await Promise.all(VARIANTS.map(async ([name, context]) => [name, await assemblyWith(context)] as const)),
  );
  variants = await Promise.all(
    [...assemblies].map(async ([name, folder]) => [name, await synthesizedIn(folder)] as const),
  );
  listed = await readList();
  found = await statefulResources(variants);
});

describe('test/infra/stateful-resources.json', () => {
  test('No deployment of the current templates moves a physical name, or replaces or deletes a resource with data', () => {
    expect(dangers(listed, found), 'A deployed stack would lose these').toEqual([]);
  });

  test('The list of stateful resources and physical names is complete for all environments, and has no other entries', () => {
    expect(found, 'Run `npm run resources`, and read what changed').toEqual(listed);
  });

  test('A physical name that moves to another stack is reported', () => {
    const name = 'AWS::Lambda::Function rundown-<env>-getRun';
    const moved = { ...found, names: { ...found.names, [name]: 'Runs/getRunFunctionFE9B3282' } };
    expect(dangers(listed, moved)).toEqual([
      `${name} moves from ${found.names[name]} to Runs/getRunFunctionFE9B3282: the deployment fails, because CloudFormation creates the new resource before it deletes the old one`,
    ]);
  });

  test('A table is reported if its key changes, and so is a signing key that an environment would lose', () => {
    const table = 'Data/TableCD117FA1';
    const key = 'Routes/SigningKeysfirst14E30E26';
    const changed = structuredClone(found);
    Object.assign(changed.stateful[table]?.replacedBy ?? {}, { KeySchema: [] });
    Object.assign(changed.stateful[key] ?? {}, { in: ['dev', 'staging', 'prod with every setting'] });
    expect(dangers(listed, changed)).toEqual([
      `AWS::DynamoDB::Table ${table} is replaced by an empty one: KeySchema changed`,
      `AWS::KMS::Key ${key} is deleted in prod`,
    ]);
  });
});

describe.each(['dev', 'staging', 'prod'])('stateful resources in %s', (environment) => {
  const template = () => variants.find(([name]) => name === environment)?.[1];

  test('the table, the bucket and the signing key keep the logical ids that they have in all deployed stacks', () => {
    const placed = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key'].map(
      (type) => template()?.only(type).id,
    );
    expect(placed).toEqual(['TableCD117FA1', 'Artifacts82DD59A1', 'SigningKeysfirst14E30E26']);
    const nested = template()
      ?.all('AWS::CloudFormation::Stack')
      .map(({ id }) => id);
    expect(nested).toEqual(
      expect.arrayContaining([
        'DataNestedStackDataNestedStackResourceEC94013D',
        'RoutesNestedStackRoutesNestedStackResource887AB1AF',
      ]),
    );
  });

  test('the stack has termination protection, except in the environment dev', async () => {
    const Manifest = z.object({
      artifacts: z.record(
        z.string(),
        z.object({ properties: z.object({ terminationProtection: z.boolean().default(false) }).optional() }),
      ),
    });
    const folder = assemblies.get(environment) ?? '';
    const { artifacts } = Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
    const protection = artifacts[`Rundown-${environment}`]?.properties?.terminationProtection;
    expect(protection).toBe(environment !== 'dev');
  });
});

test.each(['staging', 'prod'])(
  'In %s only the table, the bucket, and the role and account setting with which API Gateway writes logs outlive the stack',
  (environment) => {
    const template = variants.find(([name]) => name === environment)?.[1];
    const kept = (template?.stacks() ?? [])
      .flatMap(({ resources }) => Object.values(resources))
      .filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete')
      .map(({ Type }) => Type);
    expect(kept.sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::DynamoDB::Table',
      'AWS::IAM::Role',
      'AWS::S3::Bucket',
    ]);
  },
);
