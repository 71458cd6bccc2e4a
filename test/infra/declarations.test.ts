import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadFunctions } from '#infra/declarations.ts';

const handler = (members: object) =>
  `export const handler = Object.assign(async () => {}, ${JSON.stringify(members)});\n`;
const endpoint = (operationId: string, path = `/${operationId}`) =>
  handler({ declaration: { operationId, method: 'GET', path } });
const consumer = (name: string, source = 'artifactUploaded') => handler({ consumer: { name, source } });
const schedule = (name: string, expression = 'rate(1 hour)') => handler({ schedule: { name, expression } });
const stream = (name: string) => handler({ stream: { name } });

/** A project with these files under `functions/`. */
async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'rundown-functions-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const folder of ['api', 'recording', 'queues', 'schedules', 'streams']) {
    await mkdir(join(directory, 'functions', folder), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, 'functions', name), text);
  return directory;
}

describe('a project', () => {
  test('has an endpoint for each file of functions/api and functions/recording, a consumer for each of functions/queues, a schedule for each of functions/schedules, a stream for each of functions/streams', async () => {
    const directory = await project({
      'api/get-run.ts': endpoint('getRun'),
      'recording/create-run.ts': endpoint('createRun'),
      'queues/confirm-artifact.ts': consumer('confirmArtifact'),
      'schedules/clean-up-tokens.ts': schedule('cleanUpTokens'),
      'streams/relay-outbox.ts': stream('relayOutbox'),
    });
    expect(await loadFunctions(directory)).toEqual({
      endpoints: [
        {
          file: 'functions/api/get-run.ts',
          area: 'api',
          declaration: expect.objectContaining({ operationId: 'getRun' }),
        },
        {
          file: 'functions/recording/create-run.ts',
          area: 'recording',
          declaration: expect.objectContaining({ operationId: 'createRun' }),
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

describe('a synthesis fails, and says what to change, on', () => {
  test.each([
    [
      'an endpoint without a declaration',
      { 'api/a.ts': handler({}) },
      'functions/api/a.ts must export "handler" made by endpoint({...})',
    ],
    [
      'a consumer without one',
      { 'queues/a.ts': 'export {};' },
      'functions/queues/a.ts must export "handler" made by consumer({...})',
    ],
    [
      'a schedule without one',
      { 'schedules/a.ts': consumer('a') },
      'functions/schedules/a.ts must export "handler" made by schedule({...})',
    ],
    [
      'a stream without one',
      { 'streams/a.ts': schedule('a') },
      'functions/streams/a.ts must export "handler" made by stream({...})',
    ],
    [
      'a stream of another name',
      { 'streams/a.ts': stream('getRun') },
      'functions/streams/a.ts declares getRun: rename it to get-run.ts',
    ],
    [
      'a consumer among the endpoints',
      { 'api/a.ts': consumer('a') },
      'functions/api/a.ts must export "handler" made by endpoint',
    ],
    [
      'an endpoint of another name',
      { 'api/a.ts': endpoint('getRun') },
      'functions/api/a.ts declares getRun: rename it to get-run.ts',
    ],
    [
      'a consumer of another name',
      { 'queues/a.ts': consumer('getRun') },
      'functions/queues/a.ts declares getRun: rename it to get-run.ts',
    ],
    [
      'a schedule of another name',
      { 'schedules/a.ts': schedule('getRun') },
      'functions/schedules/a.ts declares getRun: rename it to get-run.ts',
    ],
    [
      'a schedule at no time',
      { 'schedules/a.ts': schedule('a', 'cron(0 3 * * *)') },
      'functions/schedules/a.ts: cron(0 3 * * *) is no schedule: write rate(5 minutes), or cron(',
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
      'two operations of one id',
      { 'api/a.ts': endpoint('a'), 'recording/a.ts': endpoint('a', '/b') },
      'both declare operationId a',
    ],
    [
      'two operations of one route',
      { 'api/a.ts': endpoint('a', '/x'), 'api/b.ts': endpoint('b', '/x') },
      'both declare route GET /x',
    ],
    [
      'two consumers of one source',
      { 'queues/a.ts': consumer('a'), 'queues/b.ts': consumer('b') },
      'both declare the source artifactUploaded',
    ],
    [
      'two names of one path parameter',
      { 'api/a.ts': endpoint('a', '/runs/{id}'), 'api/b.ts': endpoint('b', '/runs/{runId}/x') },
      'functions/api/b.ts: /runs/{runId} is already called /runs/{id}',
    ],
  ])('%s', async (_, files, message) => {
    await expect(loadFunctions(await project(files))).rejects.toThrow(message);
  });
});
