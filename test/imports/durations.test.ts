import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { sendReport } from './reports.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const cases = (...seconds: readonly number[]) =>
  seconds.map((time, index) => `<testcase classname="tests.test_cart" name="test_${index}" time="${time}"/>`).join('');
const pytest = (attributes: string, ...seconds: readonly number[]) =>
  `<testsuites><testsuite name="pytest" ${attributes}>${cases(...seconds)}</testsuite></testsuites>`;
const root = (attributes: string, ...seconds: readonly number[]) =>
  `<testsuites ${attributes}><testsuite name="cart" file="cart.test.ts">${cases(...seconds)}</testsuite></testsuites>`;

async function importedRun(here: Stage, reports: readonly string[], query = '') {
  let runId = '';
  for (const report of reports) {
    const { body } = await sendReport(here, report, `ciBuildId=build&branch=main${query}`);
    runId = body.data.runId;
  }
  return { runId, run: (await here.reader.get(`/runs/${runId}`)).body.data };
}

describe('The duration of an imported run', () => {
  test.each([
    ['the time that the report states', [root('time="95.5"', 30, 60)], 95_500],
    ['the sum of its tests if the report states none', [root('', 30, 60, 5)], 95_000],
    [
      'the time from the first start to the last end of its tests, if only suites have a time stamp',
      [pytest('timestamp="2026-11-02T10:00:00"', 30, 60, 5)],
      95_000,
    ],
    ['its longest test if the report states less', [root('time="1"', 30, 60)], 60_000],
    [
      'the longest import of several jobs',
      [root('time="40"', 40), root('time="95"', 90, 5), root('time="10"', 1)],
      95_000,
    ],
    ['not known if no report says it', [root('', 0, 0)], null],
  ])('is %s', async (_, reports, duration) => {
    const here = await service();
    const { run } = await importedRun(here, reports);
    expect([run.status, run.durationMs]).toEqual(['PASSED', duration]);
    expect(run.groups.map((group: { durationMs: number | null }) => group.durationMs)).toEqual([duration]);
    const list = await here.reader.get(`/projects/${here.projectId}/runs`);
    expect(list.body.data[0].durationMs).toBe(duration);
  });

  test('A spec file whose suite has a time stamp takes as long as all its tests, not as long as the longest of them', async () => {
    const here = await service();
    await importedRun(here, [pytest('timestamp="2026-11-02T10:00:00"', 30, 60, 5)]);
    await compileRuns(here);
    const { body } = await here.reader.get(`/spec-files/${here.projectId}?date_start=2026-11-01&date_end=2026-11-03`);
    expect(body.data.list[0].metrics.avgDuration).toBe(95_000);
  });

  test('A duration that is not known is left out of averages, and pages say that it is not known', async () => {
    const here = await service();
    const { runId } = await importedRun(here, [root('', 0)]);
    clock.advance(60_000);
    await sendReport(here, root('time="60"', 60), 'ciBuildId=other&branch=main');
    await compileRuns(here);
    const insights = await here.reader.get(
      `/projects/${here.projectId}/insights?date_start=2026-11-01&date_end=2026-11-03`,
    );
    expect(insights.body.data.results.overall.runs).toMatchObject({ completed: 2, avgDurationSeconds: 60 });
    const person = await signedIn(here, 'member');
    const project = `/${here.organizationId}/${here.projectId}`;
    expect((await person.get(`${project}/runs`)).text).toContain('time not known');
    const page = await person.get(`${project}/runs/${runId}`);
    expect(page.text).toContain('not in the report');
    expect(page.text).not.toMatch(/faster|slower/);
  });
});
