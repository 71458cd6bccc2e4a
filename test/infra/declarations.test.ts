import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadFunctions } from '#infra/build/declarations.ts';

const handler = (members: object) =>
  `export const handler = Object.assign(async () => {}, ${JSON.stringify(members)});\n`;
const endpoint = (operationId: string, path = `/${operationId}`) =>
  handler({ declaration: { operationId, method: 'GET', path } });
const consumer = (name: string, source = 'artifactUploaded') => handler({ consumer: { name, source } });
const schedule = (name: string, expression = 'rate(1 hour)') => handler({ schedule: { name, expression } });
const routes = (name: string, ...paths: readonly string[]) =>
  handler({ routes: { name, routes: paths.map((path) => ({ method: 'GET', path })) } });
const stream = (name: string) => handler({ stream: { name } });

/** A project with these files under `functions/`. */
async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'rundown-functions-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, 'functions', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return directory;
}

describe('a project', () => {
  test('has one function per file in functions/, and one area per folder of endpoints', async () => {
    const directory = await project({
      'api/get-run.ts': endpoint('getRun'),
      'sign-in/start-sign-in.ts': endpoint('startSignIn'),
      'queues/confirm-artifact.ts': consumer('confirmArtifact'),
      'schedules/clean-up-tokens.ts': schedule('cleanUpTokens'),
      'streams/relay-outbox.ts': stream('relayOutbox'),
      'tools/all-tools.ts': routes('allTools', '/tools', '/tools/{name}'),
    });
    expect(await loadFunctions(directory)).toEqual({
      pageFunctions: [],
      endpoints: [
        {
          file: 'functions/api/get-run.ts',
          area: 'api',
          declaration: expect.objectContaining({ operationId: 'getRun' }),
        },
        {
          file: 'functions/sign-in/start-sign-in.ts',
          area: 'sign-in',
          declaration: expect.objectContaining({ operationId: 'startSignIn' }),
        },
      ],
      routeFunctions: [
        {
          file: 'functions/tools/all-tools.ts',
          folder: 'tools',
          declaration: expect.objectContaining({ name: 'allTools' }),
        },
      ],
      consumers: [
        {
          file: 'functions/queues/confirm-artifact.ts',
          declaration: { name: 'confirmArtifact', source: 'artifactUploaded' },
        },
      ],
      schedules: [
        {
          file: 'functions/schedules/clean-up-tokens.ts',
          declaration: { name: 'cleanUpTokens', expression: 'rate(1 hour)' },
        },
      ],
      streams: [{ file: 'functions/streams/relay-outbox.ts', declaration: { name: 'relayOutbox' } }],
    });
  });
});

describe('a synthesis with invalid declarations', () => {
  test.each([
    [
      'an endpoint without a declaration',
      { 'api/a.ts': handler({}) },
      'functions/api/a.ts must export a "handler" created by endpoint(), routes(), page(), form(), consumer(), schedule() or stream()',
    ],
    [
      'a file without a handler',
      { 'queues/a.ts': 'export {};' },
      'functions/queues/a.ts must export a "handler" created by endpoint(), routes(), page(), form(), consumer(), schedule() or stream()',
    ],
    [
      'two kinds of functions in one folder',
      { 'streams/a.ts': schedule('a'), 'streams/b.ts': stream('b') },
      'functions/streams/b.ts has the kind "stream", but functions/streams/a.ts has the kind "schedule": move one of the files to another folder',
    ],
    [
      'a stream whose name differs from its file',
      { 'streams/a.ts': stream('getRun') },
      'functions/streams/a.ts declares getRun: rename the file to get-run.ts',
    ],
    [
      'an endpoint whose name differs from its file',
      { 'api/a.ts': endpoint('getRun') },
      'functions/api/a.ts declares getRun: rename the file to get-run.ts',
    ],
    [
      'a consumer whose name differs from its file',
      { 'queues/a.ts': consumer('getRun') },
      'functions/queues/a.ts declares getRun: rename the file to get-run.ts',
    ],
    [
      'a schedule whose name differs from its file',
      { 'schedules/a.ts': schedule('getRun') },
      'functions/schedules/a.ts declares getRun: rename the file to get-run.ts',
    ],
    [
      'a function of several routes whose name differs from its file',
      { 'tools/a.ts': routes('allTools') },
      'functions/tools/a.ts declares allTools: rename the file to all-tools.ts',
    ],
    [
      'a route of an operation that a function of several routes also answers',
      { 'api/a.ts': endpoint('a', '/x'), 'tools/b.ts': routes('b', '/y', '/x') },
      'both declare the route GET /x',
    ],
    [
      'a schedule with an invalid expression',
      { 'schedules/a.ts': schedule('a', 'cron(0 3 * * *)') },
      'functions/schedules/a.ts: cron(0 3 * * *) is not a recurring schedule: write rate(5 minutes), or cron(',
    ],
    [
      'one name for a schedule and a consumer',
      { 'schedules/a.ts': schedule('a'), 'queues/a.ts': consumer('a') },
      'both declare the name a',
    ],
    [
      'one name for an endpoint and a consumer',
      { 'api/a.ts': endpoint('a'), 'queues/a.ts': consumer('a') },
      'both declare the name a',
    ],
    [
      'two operations with one id',
      { 'api/a.ts': endpoint('a'), 'recording/a.ts': endpoint('a', '/b') },
      'both declare the name a',
    ],
    [
      'two operations with one route',
      { 'api/a.ts': endpoint('a', '/x'), 'api/b.ts': endpoint('b', '/x') },
      'both declare the route GET /x',
    ],
    [
      'two consumers with one source',
      { 'queues/a.ts': consumer('a'), 'queues/b.ts': consumer('b') },
      'both declare the source artifactUploaded',
    ],
    [
      'two names for one path parameter',
      { 'api/a.ts': endpoint('a', '/runs/{id}'), 'api/b.ts': endpoint('b', '/runs/{runId}/x') },
      'functions/api/b.ts declares a path that begins with /runs/{runId}, but another path begins with /runs/{id}: use the same parameter in both',
    ],
    [
      'a greedy path parameter next to another one',
      { 'api/a.ts': endpoint('a', '/assets/{name}'), 'api/b.ts': endpoint('b', '/assets/{path+}') },
      'functions/api/b.ts declares a path that begins with /assets/{path+}, but another path begins with /assets/{name}: use the same parameter in both',
    ],
    [
      'a greedy path parameter that is not last',
      { 'api/a.ts': endpoint('a', '/assets/{path+}/x') },
      'functions/api/a.ts: /assets/{path+}/x continues after a greedy parameter',
    ],
  ])('A synthesis with %s fails, and the error describes the mistake', async (_, files, message) => {
    await expect(loadFunctions(await project(files))).rejects.toThrow(message);
  });
});
