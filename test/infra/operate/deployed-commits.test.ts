import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import { choosePreviousCommit, readDeployedCommits } from '#infra/operate/deployed-commits.ts';
import { synthesize } from '#infra/synth.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

describe('A roll back without --to', () => {
  test.each([
    ['the commit before the last one', ['a', 'b', 'c'], 'b'],
    ['the commit before repeated deployments of the last one', ['a', 'b', 'b', 'b'], 'a'],
    ['the commit before a commit that was deployed again later', ['a', 'b', 'a', 'c'], 'a'],
  ])('deploys %s', (_, deployed, previous) => {
    expect(choosePreviousCommit(deployed)).toBe(previous);
  });

  test.each([
    ['the stack has no history, because an earlier release was deployed', [], 'Releases up to 0.2.0 do not store it'],
    ['one commit was ever deployed', ['a', 'a'], 'Nothing says which commit ran before'],
    ['the last deployment was itself a roll back', ['a', 'b', 'a'], 'a runs again, after b did'],
    ['a roll back went back several commits', ['a', 'b', 'c', 'a'], 'a runs again, after c did'],
    ['the commit before had changes that were not committed', ['a-dirty', 'b'], 'with changes that were not committed'],
  ])('is refused if %s', (_, deployed, problem) => {
    expect(() => choosePreviousCommit(deployed)).toThrow(problem);
    expect(() => choosePreviousCommit(deployed)).toThrow('--to <commit>');
  });
});

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), DependsOn: z.array(z.string()).optional(), Properties: z.unknown() }),
  ),
  Outputs: z.record(z.string(), z.unknown()),
});

/** Answers like Parameter Store, with one value per page. */
async function parameterStore(values: readonly string[] | undefined) {
  const calls: unknown[] = [];
  const server = createServer(async (request, response) => {
    const input = JSON.parse((await buffer(request)).toString());
    calls.push([request.headers['x-amz-target'], input]);
    const page = Number(input.NextToken ?? 0);
    const more = page + 1 < (values?.length ?? 0) ? { NextToken: String(page + 1) } : {};
    const answer = values
      ? { Parameters: [{ Value: values[page], Version: 10 - page }], ...more }
      : { __type: 'ParameterNotFound' };
    response.writeHead(values ? 200 : 400).end(JSON.stringify(answer));
  });
  await bind(server, 0);
  onTestFinished(() => closeServer(server));
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', `http://${LOOPBACK}:${getPort(server)}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  onTestFinished(() => void vi.unstubAllEnvs());
  return calls;
}

describe('The deployed commits', () => {
  test('come from all pages of the history, sorted by version', async () => {
    const calls = await parameterStore(['c', 'b', 'a']);
    expect(await readDeployedCommits(ENVIRONMENTS.prod)).toEqual(['a', 'b', 'c']);
    expect(calls[0]).toEqual(['AmazonSSM.GetParameterHistory', { Name: '/rundown/prod/commit' }]);
  });

  test('are written by each deployment as its last step, also to an output', async () => {
    const outdir = await temporaryFolder();
    const template = async (commit?: string) => {
      const context = { env: 'dev' };
      await synthesize({ outdir, context, bundles: join(outdir, 'bundles'), local: true, commit });
      return Template.parse(JSON.parse(await readFile(join(outdir, 'Rundown-dev.template.json'), 'utf8')));
    };
    const { Resources, Outputs } = await template('abc1234');
    expect(Outputs['DeployedCommit']).toMatchObject({ Value: 'abc1234' });
    const parameters = Object.values(Resources).filter(({ Type }) => Type === 'AWS::SSM::Parameter');
    expect(parameters).toMatchObject([
      { Properties: { Name: '/rundown/dev/commit', Value: 'abc1234', Type: 'String' } },
    ]);
    const stacks = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
    const [live = '', { DependsOn: earlier = [] } = {}] = stacks.find(([id]) => id.startsWith('Live')) ?? [];
    expect(parameters[0]?.DependsOn).toEqual(expect.arrayContaining([live]));
    // The routes change after all functions.
    expect(earlier.toSorted()).toEqual(stacks.flatMap(([id]) => (id === live ? [] : [id])).toSorted());

    const withoutGit = await template();
    expect(withoutGit.Outputs).not.toHaveProperty('DeployedCommit');
    expect(Object.values(withoutGit.Resources).map(({ Type }) => Type)).not.toContain('AWS::SSM::Parameter');
  });

  test('are none if no deployment has written the parameter', async () => {
    await parameterStore(undefined);
    expect(await readDeployedCommits(ENVIRONMENTS.prod)).toEqual([]);
  });
});
