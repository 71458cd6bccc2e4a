/** The package `rundown-cdk`, packed and unpacked as another app gets it, with its example app. */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import PACKAGE from '#infra/package/package/package.json' with { type: 'json' };
import { writeReleaseFiles } from '#infra/release/release-files.ts';
import { NAMES } from '#infra/stacks/settings.ts';
import { separateBundles } from '#test/harness/assemblies.ts';
import { assemblyWith } from '#test/harness/stage.ts';
import { unpack } from '#test/release/released.ts';
import SERVICE from '../../package.json' with { type: 'json' };
import { PROJECT, runIn } from './local/child.ts';

const EXAMPLE = join(PROJECT, 'infra/package/example');

let app: string;
let released: string[];
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'rundown-construct-'));
  // `bundled` is empty, because filling it would bundle every function again. It matters only for the bill of
  // materials, which has a test of its own.
  await writeReleaseFiles(app, { bundles: await separateBundles(), bundled: { service: [], client: [] } });
  released = await readdir(app);
  await unpack(join(app, `rundown-cdk-${PACKAGE.version}.tgz`), app);
  await mkdir(join(app, 'node_modules'));
  await rename(join(app, 'package'), join(app, 'node_modules/rundown-cdk'));
  for (const name of Object.keys(PACKAGE.peerDependencies))
    await symlink(join(PROJECT, 'node_modules', name), join(app, 'node_modules', name));
  await cp(EXAMPLE, app, { recursive: true });
});
afterAll(() => rm(app, { recursive: true, force: true }));

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Metadata: z.unknown().optional() })),
});

/**
 * Returns the templates of nested stacks by name, such as `Data`. Removes what depends on the place of the stacks in
 * their app: metadata, and hashes and prefixes in the names of parameters and outputs.
 */
async function nestedStacks(assembly: string, place: string): Promise<Record<string, unknown>> {
  const name = new RegExp(`^${place}(\\w+)[0-9A-F]{8}\\.nested\\.template\\.json$`);
  const files = (await readdir(assembly)).filter((file) => name.test(file));
  const read = files.map(async (file) => {
    const { Resources, ...others } = Template.parse(JSON.parse(await readFile(join(assembly, file), 'utf8')));
    const resources = Object.entries(Resources).map(([id, { Metadata: _, ...resource }]) => [id, resource]);
    const text = JSON.stringify({ ...others, Resources: Object.fromEntries(resources) })
      .replaceAll(place, '')
      .replaceAll(/"(?:(?:referenceto|AllowEventRule)\w+|\w+(?:Ref|Arn|QueueName))"/g, withoutHash);
    return [file.replace(name, '$1'), JSON.parse(text)];
  });
  return Object.fromEntries(await Promise.all(read));
}

const withoutHash = (id: string): string => id.replaceAll(/[0-9A-F]{8}/g, '');

describe('The package rundown-cdk', () => {
  test('The example app creates the nested stacks that the app of this repository creates, with the same resources, names and code', async () => {
    const program = z.object({ app: z.literal('node app.mjs') });
    program.parse(JSON.parse(await readFile(join(app, 'cdk.json'), 'utf8')));
    const output = join(app, 'cdk.out');
    expect(await runIn(app, ['app.mjs'], { CDK_OUTDIR: output })).toMatchObject({ status: 0 });
    const ours = await nestedStacks(await assemblyWith({ env: 'prod' }), 'Rundownprod');
    const theirs = await nestedStacks(output, 'TestResultsRundown');
    expect(Object.keys(ours).length).toBeGreaterThan(10);
    expect(theirs).toEqual(ours);
  });

  test('The optional properties of the construct are the settings of an environment, except env', async () => {
    const types = await readFile(join(app, 'node_modules/rundown-cdk/index.d.ts'), 'utf8');
    const properties = [...types.matchAll(/^ {2}readonly (\w+)\?: (string|boolean|number);$/gm)];
    expect(properties.map(([, name]) => name).sort()).toEqual(NAMES.filter((name) => name !== 'env').sort());
    const typeByName = Object.fromEntries(properties.map(([, name, type]) => [name, type]));
    expect(typeByName).toMatchObject({
      domain: 'string',
      budget: 'number',
      lambdaConcurrency: 'number',
      zone: 'string',
    });
    expect(typeByName).toMatchObject({ dashboard: 'boolean', signingKeys: 'string', subnets: 'string' });
  });

  test('Wrong settings are refused with an error that names the property, and values of other constructs are accepted', async () => {
    const script = `
      import { App, Stack } from 'aws-cdk-lib';
      import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
      import { CfnSecurityGroup, CfnSubnet } from 'aws-cdk-lib/aws-ec2';
      import { Rundown } from 'rundown-cdk';
      const stack = new Stack(new App(), 'Test');
      const certificate = new Certificate(stack, 'Certificate', { domainName: 'results.example.com' }).certificateArn;
      const subnets = ['A', 'B'].map((id) => new CfnSubnet(stack, id, { vpcId: 'vpc-1' }).ref).join(',');
      const securityGroups = new CfnSecurityGroup(stack, 'Group', { groupDescription: 'Webhooks' }).attrGroupId;
      const domain = 'results.example.com';
      for (const props of [
        { environment: 'qa' },
        { environment: 'dev', domain },
        { environment: 'dev', certificate: 'mine', domain },
        { environment: 'dev', subnets: 'a', securityGroups },
        { environment: 'dev', alarmMail: 'on-call@example.com' },
        { environment: 'dev', domain, certificate, subnets, securityGroups, consumerConcurrency: 4, dashboard: true },
      ]) try {
        const { url, alarmTopic } = new Rundown(stack, 'Rundown', props);
        console.log(url, alarmTopic);
      } catch ({ message }) {
        console.log(message);
        stack.node.tryRemoveChild('Rundown');
      }`;
    await writeFile(join(app, 'wrong.mjs'), script);
    const { status, output } = await runIn(app, ['wrong.mjs'], {});
    expect({ status, lines: output.trim().split('\n') }).toEqual({
      status: 0,
      lines: [
        'env=... must be dev, staging or prod',
        'domain=... and certificate=<ARN of its ACM certificate in the region of the stack> must be set together',
        'certificate=... must be the ARN of an ACM certificate',
        'subnets=... must be ids such as subnet-0a1b2c, with commas between them',
        'Rundown has no settings with these names: alarmMail',
        'https://results.example.com undefined',
      ],
    });
  });

  test('A release contains the construct, the client, the bill of materials and the notices', () => {
    const { version } = SERVICE;
    const packages = [`rundown-cdk-${version}.tgz`, `rundown-cli-${version}.tgz`];
    expect(released.sort()).toEqual(['THIRD-PARTY-NOTICES', ...packages, 'sbom.cdx.json']);
  });
});
