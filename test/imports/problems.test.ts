/** Why a run failed other than by its tests, in every place that shows it. */
import { describe, expect, test } from 'vitest';
import { runs } from '#shared/model/runs/run.ts';
import { buildGenericBody } from '#shared/notifications/channels/generic.ts';
import { buildSlackBody } from '#shared/notifications/channels/slack.ts';
import { buildTeamsBody } from '#shared/notifications/channels/teams.ts';
import { buildCommentBody } from '#shared/notifications/hosts/comment-body.ts';
import { readRunFacts } from '#shared/notifications/run-facts.ts';
import { archive } from '#test/context/trace/archives.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { imported, junit } from './reports.ts';

const SECRET = 'glpat-Ab3dEf5hIj7kLm9nOp1q';
const GOOD = junit({ 'cart.test.ts': { adds: 'passed' } });
const HOUR = 3_600_000;

interface Case {
  readonly report: string;
  readonly query?: string;
  readonly problem: object;
  /** What every place shows. */
  readonly words: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'an error outside tests': {
    report: GOOD.replace(
      '</testsuites>',
      `<testsuite name="stock"><error message="no driver, token=${SECRET}"/></testsuite></testsuites>`,
    ),
    problem: { kind: 'errorOutsideTests', failsRun: true },
    words: 'stock: no driver',
  },
  'a report that is cut': {
    report: GOOD.slice(0, GOOD.indexOf('</testsuite>')),
    query: 'name=shard-2.xml',
    problem: { kind: 'truncatedFile', file: 'shard-2.xml', failsRun: true },
    words: 'The report is cut',
  },
  'a report without tests': {
    report: '<testsuites/>',
    problem: { kind: 'noTests', failsRun: true },
    words: 'No test was recorded',
  },
  'a failed job': {
    report: GOOD,
    query: 'status=failed',
    problem: { kind: 'failedJob', failsRun: true },
    words: 'did not say which',
  },
  'a file that the client could not read': {
    report: GOOD,
    query: 'unreadable[]=crashed.xml',
    problem: { kind: 'unreadableFile', file: 'crashed.xml', failsRun: true },
    words: 'The report could not be read',
  },
};

/** What the places show about a run. */
async function shownOf(setting: Awaited<ReturnType<typeof service>>, runId: string) {
  const { api, services, organizationId, projectId } = setting;
  const guest = await signedIn(setting, 'guest');
  const { text, html } = await guest.get(`/${organizationId}/${projectId}/runs/${runId}`);
  const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run) throw new Error('The run is missing');
  const facts = await readRunFacts(services, run, 10);
  const { data } = (await api.get(`/context?run_id=${runId}`)).body;
  return {
    page: text,
    html,
    context: JSON.stringify(data.problems ?? []),
    markdown: String((await api.get(`/context?run_id=${runId}&format=md`)).body),
    comment: buildCommentBody({ ...facts, marker: '<!-- -->' }),
    slack: JSON.stringify(buildSlackBody(facts)),
    teams: JSON.stringify(buildTeamsBody(facts)),
    chat: JSON.stringify(buildGenericBody(facts)),
  };
}

describe('A run that failed without a failed test', () => {
  test.each(Object.entries(CASES))(
    '%s is shown by the API, the page, the context, comments and messages',
    async (_, { report, query = '', problem, words }) => {
      const setting = await service();
      const { runId } = await imported(setting, report, `ciBuildId=b&${query}`);
      const run = await read(setting.api, `/runs/${runId}`);
      expect(run).toMatchObject({ status: 'FAILED', problems: [problem] });
      const { html, ...shown } = await shownOf(setting, runId);
      for (const [place, text] of Object.entries(shown)) {
        expect(text, place).toContain(words);
        expect(text, place).not.toContain(SECRET);
      }
      expect(html).not.toContain(SECRET);
      expect(shown.page).not.toContain('All tests that ran have passed');
      expect(shown.comment).not.toMatch(/: \d+ passed of/);
    },
  );

  test('A run that timed out while it was kept open says so', async () => {
    const setting = await service();
    const { runId } = await imported(setting, GOOD, 'ciBuildId=b&complete=false');
    clock.advance(24 * HOUR);
    await setting.runSchedule('timeOutRuns');
    expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({
      status: 'FAILED',
      completionState: 'TIMEOUT',
      problems: [{ kind: 'keptOpen', failsRun: true }],
    });
    const { page } = await shownOf(setting, runId);
    expect(page).not.toContain('All tests that ran have passed');
  });
});

test('Counters that say more failures than a report shows are a warning in every place, and do not fail the run', async () => {
  const setting = await service();
  const report = '<testsuite name="cart" failures="3"><testcase classname="cart" name="adds"/></testsuite>';
  const { runId } = await imported(setting, report, 'ciBuildId=b&name=cart.xml');
  expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({
    status: 'PASSED',
    problems: [{ kind: 'failuresWithoutTest', file: 'cart.xml', failsRun: false }],
  });
  const { html: _, ...shown } = await shownOf(setting, runId);
  for (const [place, text] of Object.entries(shown)) expect(text, place).toContain('The report counts 3 failures');
});

test('Equal problems of several imports are shown once, with their number', async () => {
  const setting = await service();
  const report = (spec: string) =>
    `<testsuites><testsuite name="setup"><error message="no network"/><testcase file="${spec}" name="adds"/></testsuite></testsuites>`;
  await imported(setting, report('a.test.ts'), 'ciBuildId=b');
  const { runId } = await imported(setting, report('b.test.ts'), 'ciBuildId=b');
  expect((await read(setting.api, `/runs/${runId}`)).problems).toMatchObject([
    { kind: 'errorOutsideTests', message: 'setup: no network', machines: 2 },
  ]);
});

test('A run that passed has no problems, and a repeated import adds none', async () => {
  const setting = await service();
  const { runId } = await imported(setting, GOOD, 'ciBuildId=b');
  const run = await read(setting.api, `/runs/${runId}`);
  expect({ status: run.status, problems: run.problems }).toEqual({ status: 'PASSED', problems: undefined });
  const { page } = await shownOf(setting, runId);
  expect(page).toContain('All tests that ran have passed');
});

test('An error outside tests fails the run, however many reports of the archive come before it with a warning', async () => {
  const setting = await service();
  const warning = (number: number) =>
    `<testsuites><testsuite name="s${number}" failures="3"><testcase file="a${number}.test.ts" name="adds"/></testsuite></testsuites>`;
  const error = '<testsuites><testsuite name="setup"><error message="no network"/></testsuite></testsuites>';
  const reports = [...Array.from({ length: 80 }, (_, number) => warning(number)), error];
  const files = reports.map((text, number) => ({
    name: `${String(number).padStart(3, '0')}.xml`,
    content: Buffer.from(text),
  }));
  const { runId } = await imported(setting, Uint8Array.from(archive(files)), 'ciBuildId=b');
  expect((await read(setting.api, `/runs/${runId}`)).status).toBe('FAILED');
});
