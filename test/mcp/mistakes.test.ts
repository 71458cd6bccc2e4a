/** Calls as models get them wrong. Each is understood, or its answer says what to do instead. */
import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed, COMMIT as RECORDED_COMMIT, testIdOf } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { callTool } from './agents.ts';

type Stage = TestService & Tenant;

const TEST = 'cart.spec.ts > cart > keeps its articles';
const OTHER = 'cart.spec.ts > cart > forgets nothing';
const COMMIT = { ...RECORDED_COMMIT, remoteOrigin: 'https://github.com/acme/shop.git' };

const RULE = { name: 'q', action: [{ op: 'quarantine' }] };
const UNKNOWN = { type: 'signature', op: 'eq', value: 'aad5' };

/** One recorded project for all tests of this file. None changes its results. */
let prepared: Promise<Prepared> | undefined;
const prepare = (): Promise<Prepared> => (prepared ??= recordRuns());

interface Prepared {
  readonly stage: Stage;
  readonly redRunId: string;
  readonly greenRunId: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly answer: (name: string, args: object) => Promise<string>;
}

async function recordRuns(): Promise<Prepared> {
  const stage = await service();
  const red = await uploadRun(stage, { [TEST]: failed(), [OTHER]: failed() }, { ciBuildId: 'build-1', commit: COMMIT });
  clock.advance(60_000);
  const green = await uploadRun(
    stage,
    { [TEST]: passed(), [OTHER]: passed() },
    { ciBuildId: 'build-2', commit: COMMIT },
  );
  await compileRuns(stage);
  return {
    stage,
    redRunId: red.runId,
    greenRunId: green.runId,
    instanceId: Object.values(red.instances)[0] ?? '',
    testId: testIdOf('retail', TEST),
    answer: async (name, args) => (await callTool(stage.origin, stage.keys.readWrite, name, args)).text,
  };
}

const dataIn = (text: string) => JSON.parse(text.slice(text.indexOf('\n') + 1).replace(/\n\n(?:Note|Next): .*$/s, ''));

describe('An argument in another form', () => {
  test.each([
    ['a single value for a list', { status: 'FAILED' }],
    ['a list as JSON text', { status: '["FAILED"]' }],
    ['a branch instead of a list of branches', { branches: 'main', status: ['FAILED'] }],
    ['a number as text', { limit: '1', status: ['FAILED'] }],
  ])('A tool understands %s', async (_, args) => {
    const { stage, redRunId, answer } = await prepare();
    const { data } = dataIn(await answer('list_runs', { projectId: stage.projectId, ...args }));
    expect(data.map((run: { runId: string }) => run.runId)).toEqual([redRunId]);
  });

  test('A tool understands a number where the text of an id is declared', async () => {
    const { answer } = await prepare();
    const text = await answer('list_runs', { projectId: 829944 });
    expect(text).toBe('{"error":"Project not found. Pass a `projectId` from list_projects, not a name"}');
  });

  test('A list as JSON text with a wrong value is refused for this value', async () => {
    const { stage, answer } = await prepare();
    const text = await answer('list_runs', { projectId: stage.projectId, status: '["failed"]' });
    expect(text).toContain('`status[0]` must be one of PASSED, FAILED, RUNNING, FAILING');
  });

  test.each([
    ['list_runs', { limit: 200 }, '`limit` must be at most 50'],
    ['list_runs', { limit: '200' }, '`limit` must be at most 50'],
    ['list_runs', { limit: 'all' }, '`limit` must be a number'],
    ['list_tests', { date_start: '7d' }, '`date_start` must be an ISO 8601 date-time such as 2026-10-21T08:00:00Z'],
    ['list_tests', { order: 'slowest' }, '`order` must be one of title, failures'],
    ['create_action', { ...RULE, matcher: { op: 'AND', cond: [UNKNOWN] } }, '`matcher.cond[0].type` must be one of'],
    ['create_action', { ...RULE, matcher: JSON.stringify({ op: 'AND', cond: [UNKNOWN] }) }, '`matcher.cond[0].type`'],
    ['create_action', { ...RULE, matcher: 'cart' }, '`matcher` must be an object'],
  ])('A value of the right type is refused for what is wrong in it: %s %j', async (name, args, problem) => {
    const { stage, answer } = await prepare();
    expect(await answer(name, { projectId: stage.projectId, ...args })).toContain(`{"error":"${problem}`);
  });

  test('A tool takes the ids from the address of a page', async () => {
    const { stage, redRunId, instanceId, testId, answer } = await prepare();
    const page = `${stage.origin}/${stage.organizationId}/${stage.projectId}/runs/${redRunId}`;
    expect(dataIn(await answer('get_run', { runId: `${page}?tab=failed#x` })).runId).toBe(redRunId);
    expect(dataIn(await answer('list_runs', { projectId: page, limit: 2 })).data).toHaveLength(2);
    for (const address of [
      `${page}/i/${instanceId}/test/${testId}`,
      `${stage.origin}/${stage.organizationId}/${stage.projectId}/instances/${instanceId}/test?test_id=${testId}`,
    ]) {
      expect(await answer('get_context', { instance_id: address, test_id: address })).toContain('keeps its articles');
    }
  });

  test('A rule whose action is a word is refused for this word only, and the answer shows how to write it', async () => {
    const { stage, answer } = await prepare();
    const args = { projectId: stage.projectId, name: 'q', action: 'quarantine', matcher: 'cart' };
    const text = await answer('create_action', args);
    expect(text).toContain('`action[0]` must be an object');
    expect(text).not.toContain('at most 3');
    const { error }: { readonly error: string } = JSON.parse(text);
    const [effects = '', matcher = ''] = [...error.matchAll(/such as `([^`]*)`/g)].map(([, example = '']) => example);
    const examples = { action: JSON.parse(effects), matcher: JSON.parse(matcher) };
    expect(await answer('create_action', { ...args, ...examples })).toContain('"actionId"');
  });
});

describe('An unknown id', () => {
  test.each([
    ['get_run', { runId: 'build-1' }, 'call find_run with `ciBuildId`'],
    ['get_context', { run_id: 'build-1' }, 'call find_run with `ciBuildId`'],
    ['list_runs', { projectId: 'Shop' }, 'from list_projects, not a name'],
    ['get_instance', { instanceId: 'none' }, 'Pass an `instanceId` from get_run'],
    ['list_tracker_projects', { integrationId: 'jira' }, 'from list_integrations'],
    ['update_webhook', { hookId: 'none', label: 'x' }, 'from list_webhooks'],
    ['disable_action', { actionId: 'none' }, 'from list_actions'],
  ])('%s says which tool has the right one', async (name, args, remedy) => {
    const { stage } = await prepare();
    const { text, isError } = await callTool(stage.origin, stage.keys.readWrite, name, args);
    expect(isError).toBe(true);
    expect(text).toContain(remedy);
  });

  test.each([
    ['list_runs', {}, '`projectId` is required. Pass a `projectId` from list_projects'],
    [
      'get_context',
      {},
      '`run_id` is missing. Send it, or select a test with `instance_id` and `test_id`. Pass a `runId`',
    ],
    [
      'create_issue',
      { projectId: 'p', instanceId: 'i', testId: 't' },
      'from list_integrations. Pass a `trackerProjectId`',
    ],
    ['get_test_results', {}, '`signature` is required. Pass a `signature` from list_tests or search_project'],
  ])('A call of %s without an id says which tool has it', async (name, args, remedy) => {
    const { answer } = await prepare();
    expect(await answer(name, args)).toContain(remedy);
  });

  test.each([['keeps its articles'], ['aad5db7f78f404451c59c3b7b655b26e']])(
    'get_context says that %s is no id of a test, and where ids are',
    async (wrong) => {
      const { instanceId, answer } = await prepare();
      const text = await answer('get_context', { instance_id: instanceId, test_id: wrong });
      expect(text).toContain('A title or signature is not a `testId`');
      expect(text).toContain('get_instance');
    },
  );
});

describe('A list that could mislead', () => {
  test('A list of failed runs names the newer run of the branch that passed', async () => {
    const { stage, redRunId, greenRunId, answer } = await prepare();
    const args = { projectId: stage.projectId, branches: ['main'], status: ['FAILED'], limit: 1 };
    const text = await answer('list_runs', args);
    expect(dataIn(text).data[0].runId).toBe(redRunId);
    expect(text).toContain(`The newest run with the other filters is ${greenRunId}: PASSED, COMPLETE`);
    expect(await answer('list_runs', { ...args, status: ['PASSED'] })).not.toContain('Note:');
  });

  test('A list of the runs of an unknown branch names the branches that have runs', async () => {
    const { stage, answer } = await prepare();
    const text = await answer('list_runs', { projectId: stage.projectId, branches: ['master'] });
    expect(text).toContain('No run matches. Branches with runs, latest first: "main".');
    expect(text).not.toContain('Next:');
  });

  test('A list of failed runs of an unknown branch names the branches that have runs', async () => {
    const { stage, answer } = await prepare();
    const text = await answer('list_runs', { projectId: stage.projectId, branches: ['master'], status: ['FAILED'] });
    expect(text).toContain('Branches with runs, latest first: "main".');
  });

  test('The history of an unknown signature says that it may be wrong', async () => {
    const { answer } = await prepare();
    expect(await answer('get_test_results', { signature: 'deadbeef' })).toContain('find the test with search_project');
  });

  test('Without a connected tracker, the list of trackers says where an Admin connects one', async () => {
    const { stage, answer } = await prepare();
    const text = await answer('list_integrations', {});
    expect(text).toContain(`${stage.origin}/${stage.organizationId}/settings/integrations`);
  });

  test('A search for the text of an error leads to the list of errors', async () => {
    const { stage, answer } = await prepare();
    expect(await answer('search_project', { projectId: stage.projectId, q: 'toBeGreaterThan' })).toContain(
      'call list_errors with `error_message`',
    );
  });

  test('The list of flaky tests contains only flaky ones by default, and names the state of doubtful ones', async () => {
    const { stage, answer } = await prepare();
    expect(await answer('list_flaky_tests', { projectId: stage.projectId })).toContain('`state: ["suspected"]`');
  });

  test('The list of projects names the repository of the newest run', async () => {
    const { stage, answer } = await prepare();
    expect(await answer('list_projects', {})).toContain(`${stage.projectId} "https://github.com/acme/shop.git"`);
  });

  test('A comparison names the error of a fixed test as that of the base', async () => {
    const { redRunId, greenRunId, answer } = await prepare();
    const text = await answer('get_run_comparison', { runId: greenRunId, base_run_id: redRunId });
    expect(text).toMatch(/"verdict":"fixed".*"baseError":"/s);
    expect(text).not.toContain('"error":');
  });
});
