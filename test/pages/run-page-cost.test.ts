import { expect, test } from 'vitest';
import * as z from 'zod';
import { showRun } from '#functions/pages/run.tsx';
import { projects } from '#shared/model/organizations/project.ts';
import { runs } from '#shared/model/runs/run.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { inRounds } from '#test/harness/interrupted-table.ts';
import { startRun } from '#test/harness/recording.ts';
import { batchInstance, upload, uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const Logged = z.looseObject({ operationId: z.string(), readUnits: z.number() });

/** Returns the read units of the last request to this operation, from the log. */
const costOf = (operationId: string): number | undefined =>
  logLines
    .flatMap((line) => Logged.safeParse(JSON.parse(line)).data ?? [])
    .findLast((line) => line.operationId === operationId)?.readUnits;

const files = Array.from({ length: 16 }, (_, file) =>
  Array.from({ length: 5 }, (_, number) => `file ${file}.spec.ts > test ${number}`),
);
/**
 * A failed test whose error differs from the errors of all other tests. The page shows one strip for each different
 * error.
 */
const failing = (name: string) => {
  // Errors that differ only in numbers have one cause.
  const word = name.replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
  const attempts = [0, 1].map(() => attempt('failed', { errors: [error(`Error: ${word} is wrong`)] }));
  return failed({ attempts });
};

test('The page of a run with a base run, 10 failures and their strips of executions costs at most 29 read units', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const record = async (
    ciBuildId: string,
    isFailing: (file: number) => boolean,
    recorded = files,
  ): Promise<{ runId: string }> => {
    clock.advance(1000);
    const instances = recorded.flatMap((tests, file) => {
      if (tests.length === 0) return [];
      const isRed = (index: number) => index === 0 && isFailing(file);
      const states = tests.map((name, index) => [name, isRed(index) ? failing(name) : passed()] as const);
      return batchInstance('unit', `file ${file}.spec.ts`, Object.fromEntries(states));
    });
    return upload(stage, [suiteGroup('unit', recorded.flat())], instances, { ciBuildId, ...onBranch('main') });
  };
  // The earlier runs contain only the spec files that fail in the last run, because the page shows strips of executions
  // only for failed tests. The base run is complete.
  const red = files.map((tests, file) => (file >= 5 && file < 15 ? tests : []));
  for (let build = 0; build < 7; build += 1) await record(`earlier ${build}`, (file) => file < 10, red);
  await record('base', (file) => file < 10);
  const { runId } = await record('run', (file) => file >= 5 && file < 15);
  const { text, html } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  for (const part of ['New in this run5 tests', 'Still failing5 tests', 'Fixed5 tests']) expect(text).toContain(part);
  expect(html.split('<ol class="strip"')).toHaveLength(11);
  expect(costOf('showRun')).toBeLessThanOrEqual(29);
});

test('The page of a run with 300 failures says their four causes, has a card for each, and costs at most 35 read units', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const messages = ['expected 404 to be 200', 'expected false to be true', 'the shop is closed', 'no such route'];
  const states = Array.from({ length: 300 }, (_, index) => {
    const message = messages[index < 150 ? 0 : 1 + (index % 3)] ?? '';
    const attempts = [attempt('failed', { errors: [error(`AssertionError: ${message}`)] })];
    return [`file ${index % 20}.spec.ts > test ${index}`, failed({ attempts })] as const;
  });
  const { runId } = await uploadRun(stage, Object.fromEntries(states), { ciBuildId: 'red', ...onBranch('main') });
  const { text, html } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  expect(text).toContain('300 failures, 4 causes: 150 times ');
  expect(html.split('<article').slice(1)).toHaveLength(4);
  expect(html.length).toBeLessThan(70_000);
  expect(costOf('showRun')).toBeLessThanOrEqual(35);
});

test.each([
  { base: ['pays'], rounds: 3 },
  { base: ['pays', 'ships'], rounds: 4 },
])(
  'After the session and the run, the page of a run reads the table in three rounds of concurrent requests, and in one more to show fixed tests (failed in the base: $base)',
  async ({ base, rounds }) => {
    const stage = await service();
    const { organizationId, projectId, services } = stage;
    const record = (ciBuildId: string, names: readonly string[]) =>
      uploadRun(stage, Object.fromEntries(names.map((name) => [`a.spec.ts > ${name}`, failing(name)])), {
        ciBuildId,
        ...onBranch('main'),
      });
    await record('base', base);
    clock.advance(1000);
    const { runId } = await record('newest', ['pays', 'signs in']);
    const { services: counting, counted } = inRounds(services);
    const project = await services.table.get(projects, { organizationId, projectId });
    const visit = { base: '', theme: 'system', organizationId, projectId, project, person: { role: 'admin' } } as const;
    const firstRow = await services.table.get(runs, { organizationId, runId });
    const request = {
      visit,
      path: { runId },
      pathWithQuery: '',
      refused: undefined,
      header: () => undefined,
      firstRow,
    };
    await showRun.show({ ...request, query: showRun.query.parse({}) }, counting);
    expect(counted.rounds).toBe(rounds);
  },
);

test('A run in progress adds at most two read units to the cost of the list of runs, even if it has 200 spec files', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const feed = `/${stage.organizationId}/${stage.projectId}/runs`;
  await guest.get(feed);
  const empty = costOf('showRuns') ?? 0;
  const many = Array.from({ length: 200 }, (_, file) => `file ${file}.spec.ts > test`);
  await startRun(stage, [suiteGroup('unit', many)], { ciBuildId: 'open' });
  expect((await guest.get(feed)).text).toContain('running');
  expect((costOf('showRuns') ?? 0) - empty).toBeLessThanOrEqual(2);
});

test('The new failures and usual durations in the list of runs cost at most two read units for each red run', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const feed = `/${stage.organizationId}/${stage.projectId}/runs`;
  const count = 10;
  for (let build = 0; build < count; build += 1) {
    const names = ['a.spec.ts > pays', 'a.spec.ts > ships'];
    const states = Object.fromEntries(names.map((name) => [name, failing(name)]));
    await uploadRun(stage, states, { ciBuildId: `build-${build}`, ...onBranch('main') });
  }
  await guest.get(feed);
  const cost = costOf('showRuns') ?? 0;
  expect(cost).toBeGreaterThan(count);
  expect(cost).toBeLessThanOrEqual(12 + 2 * count);
});
