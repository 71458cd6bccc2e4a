/** Places that show the same fact say the same. */
import { describe, expect, test } from 'vitest';
import { formatTerminalSummary } from '#infra/client/summary.ts';
import { readError } from '#shared/errors/read-error.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { artifacts, deriveObjectName } from '#shared/model/results/artifact.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { OutcomeCounts } from '#shared/pages/design/outcome.tsx';
import { compileRuns } from '#test/harness/analytics.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { comparisonOf, onBranch } from '#test/harness/comparisons.ts';
import { attribute, elementsIn, textOf } from '#test/harness/elements.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  suiteGroup,
  type TestState,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { sendReport } from '#test/imports/reports.ts';
import { fillIn } from './form-of.ts';

const GROUPS = ['chromium', 'firefox'];
const named = (title: string): string => `cart.spec.ts > ${title}`;
const fails = (message: string) =>
  failed({ attempts: [0, 1].map(() => attempt('failed', { errors: [error(message)] })) });

/** A run of the default branch, and one of a pull request with a new, an old and a flaky failure in two browsers. */
async function stage() {
  const here = await service();
  const record = async (ciBuildId: string, tests: Parameters<typeof batchInstance>[2], commit: object) => {
    clock.advance(60_000);
    const suite = GROUPS.map((group) => suiteGroup(group, Object.keys(tests)));
    const instances = GROUPS.map((group) => batchInstance(group, 'cart.spec.ts', tests));
    return upload(here, suite, instances, { ciBuildId, commit });
  };
  const remoteOrigin = 'https://github.com/acme/shop';
  const old = fails(
    'Error: expect(locator).toHaveText(expected) failed\n\nLocator: getByRole("alert")\nExpected: "a"\nReceived: "b"',
  );
  await record(
    'base',
    { [named('sums')]: passed(), [named('rounds')]: old, [named('ships')]: passed() },
    onBranch('main').commit,
  );
  const { runId } = await record(
    'pull request',
    { [named('sums')]: fails('Error: card 17 was declined'), [named('rounds')]: old, [named('ships')]: flaky() },
    {
      ...COMMIT,
      branch: 'feature',
      remoteOrigin,
      ghaEventData: { htmlUrl: `${remoteOrigin}/pull/7`, prTitle: 'Sell cards' },
    },
  );
  const instanceId = deriveInstanceId({ runId, groupId: 'chromium', spec: 'cart.spec.ts' });
  // Many suites record a trace of one attempt only, which here is not the last one.
  const sentTrace = { artifactId: 'trace', testId: testIdOf('chromium', named('sums')), attempt: 0, expiry: NEVER };
  await here.services.table.put(artifacts, {
    ...sentTrace,
    type: 'trace',
    name: 'trace',
    fileName: 'trace.zip',
    contentType: 'application/zip',
    createdAt: Date.now(),
    bytes: 1000,
    organizationId: here.organizationId,
    instanceId,
    objectName: deriveObjectName(sentTrace),
  });
  const traces = { [deriveObjectName(sentTrace)]: sentTrace.attempt };
  await here.services.table.put(shownFiles, {
    ...{ organizationId: here.organizationId, instanceId },
    ...{ pictures: {}, traces, expiresAt: undefined },
  });
  await compileRuns(here);
  const admin = await signedIn(here, 'admin');
  const project = `/${here.organizationId}/${here.projectId}`;
  const open = (page: string) => admin.get(project + page);
  const ofTest = (title: string) => `/instances/${instanceId}/test?test_id=${testIdOf('chromium', named(title))}`;
  const [run, failure, oldFailure] = await Promise.all([
    open(`/runs/${runId}`),
    open(ofTest('sums')),
    open(ofTest('rounds')),
  ]);
  return { ...here, admin, project, open, runId, run, failure, oldFailure };
}

let shared: ReturnType<typeof stage> | undefined;
const world = () => (shared ??= stage());

const inMain = ({ elements }: Shown): typeof elements => {
  const main = elements.find(({ tagName }) => tagName === 'main');
  return main ? elementsIn(main) : [];
};
const textsOf = (shown: Shown, tagName: string): string[] =>
  shown.elements.filter((one) => one.tagName === tagName).map((one) => textOf(one).replace(/\s+/g, ' ').trim());
const linkIn = ({ links }: Shown, part: string): string => links.find((link) => link.includes(part)) ?? 'no link';

describe('The pages of a run', () => {
  test('count a test in two groups as two in tiles, tabs, sections, the list of tests, the list of runs and the API', async () => {
    const { run, runId, open, reader } = await world();
    const { body } = await reader.get(`/runs/${runId}`);
    const failures = body.data.groups.map((group: { tests: { failures: number } }) => group.tests.failures);
    expect(failures).toEqual([2, 2]);
    expect(run.text).toMatch(/Failed ?4 of 6 tests/);
    expect(run.text).toMatch(/New in this run ?2 .*Still failing ?2 .*Flaky ?2/);
    for (const section of ['New in this run2 tests', 'Still failing2 tests', 'Flaky2 tests'])
      expect(run.text).toContain(section);
    const list = await open(`/runs/${runId}/tests?outcome=failed`);
    expect(textsOf(list, 'tbody')).toHaveLength(1);
    expect(inMain(list).filter(({ tagName }) => tagName === 'tr')).toHaveLength(1 + 4);
    expect((await open('/runs')).text).toMatch(/4 failed, 2 new\s*2 flaky/);
    expect(textsOf(run, 'main').join()).not.toMatch(/\d results?\b/);
  });

  test('call a verdict the same on the page of the run, of the failure and of the pull request, and as the API does', async () => {
    const { run, runId, open, oldFailure, failure, reader } = await world();
    const { sections } = await comparisonOf(reader, runId);
    expect(sections.filter(({ total }) => total > 0).map(({ verdict }) => verdict)).toEqual([
      'new',
      'still_failing',
      'flaky',
    ]);
    const pullRequest = await open('/pulls/7');
    for (const shown of [run, oldFailure, pullRequest])
      expect(shown.text).toMatch(/still failing|Failing on main since/i);
    for (const shown of [run, failure]) expect(shown.text).toContain('New in this run');
    expect(pullRequest.text).toContain('New in this pull request');
    for (const shown of [run, failure, oldFailure, pullRequest])
      expect(shown.text).not.toMatch(/broken|failed before|already failing|failing on the base/i);
  });

  test('say in their titles how many tests failed', async () => {
    const { run, open } = await world();
    expect(textsOf(run, 'title')).toEqual(['✕ 4 failed · Let traders see net prices · Shop · Rundown']);
    expect(textsOf(await open('/pulls/7'), 'title')[0]).toMatch(/^✕ 4 failed · Sell cards · /);
  });

  test('write large numbers in the same way in lists and on the page', () => {
    const counts = { passes: 19_769, failures: 1200, skipped: 0, pending: 0, flaky: 0 };
    expect(String(<OutcomeCounts counts={counts} />)).toMatch(/1,200 .*19,769 /);
  });
});

describe('The page of a failure', () => {
  test('opens the same trace as the cards of its run and of its pull request, also if it is of another attempt', async () => {
    const { run, failure, open } = await world();
    const traces = new Set([run, failure, await open('/pulls/7')].map((shown) => linkIn(shown, '?trace=')));
    expect([...traces]).toEqual([expect.stringContaining('trace=')]);
    expect(failure.text).toContain('Open trace of attempt 1');
  });

  test('names the commit by the same link as the pages of its run and of its pull request', async () => {
    const { run, failure, open } = await world();
    for (const shown of [run, failure, await open('/pulls/7')])
      expect(shown.links).toContain(`https://github.com/acme/shop/commit/${COMMIT.sha}`);
  });

  test('leads to the row of its error in the list of errors, and the page of the test groups errors alike', async () => {
    const { admin, failure, oldFailure, open } = await world();
    const all = await open('/errors');
    const rowsOf = ({ links }: Shown) => links.filter((link) => link.includes('/errors/one'));
    // Those of the two failed tests, and that of the flaky one.
    expect(rowsOf(all)).toHaveLength(3);
    for (const shown of [failure, oldFailure]) {
      const alike = await admin.get(linkIn(shown, 'error_message='));
      expect(rowsOf(alike)).toHaveLength(1);
      const keys = (href = '') => new URL(href, 'http://rundown').searchParams.get('message');
      expect(rowsOf(all).map(keys)).toContain(keys(rowsOf(alike)[0]));
    }
    const history = await admin.get(linkIn(failure, '/tests/'));
    expect(history.text).toMatch(/Errors.*card 17 was declined 2 executions/);
  });

  test('says that its strip has this run beside those of the default branch', async () => {
    const { failure, oldFailure } = await world();
    for (const shown of [failure, oldFailure]) {
      const strip = shown.elements.find((one) => attribute(one, 'class') === 'strip');
      const branches = new Set(
        strip && elementsIn(strip).flatMap((one) => / on (\w+),/.exec(attribute(one, 'title') ?? '')?.[1] ?? []),
      );
      expect([...branches].sort()).toEqual(['feature', 'main']);
      expect(shown.text).toContain('Latest executionsmain, and this run');
      expect(strip && attribute(strip, 'aria-label')).toBe('Executions on main, and this run, newest last');
    }
  });

  test('calls an entry of the call log a step only if it is one', () => {
    const reading = (log: string) =>
      String(
        <Assertion
          reading={readError({
            message: `Error: expect(page).toHaveScreenshot(expected) failed\n\nCall log:\n${log}`,
            stack: null,
          })}
        />,
      );
    expect(reading('  - 61316 pixels (ratio 0.12 of all image pixels) are different.')).not.toContain('Last step');
    expect(reading('  - waiting for getByRole("alert")')).toContain('Last step');
  });

  test('says which sign marks what was expected, in a short and in a long difference', async () => {
    const message = 'Error: expect(received).toEqual(expected)\n\n- Expected\n+ Received\n\n  a\n- b\n+ c';
    const card = String(<Assertion reading={readError({ message, stack: null })} />);
    expect(card).toContain('− expected, + received');
  });
});

describe('A rule', () => {
  test('is called a rule, and says which test it is about in the same words, in its form, on its page and in the list', async () => {
    const { admin, project, failure } = await world();
    const newRule = linkIn(failure, '/actions/new');
    const form = await admin.get(newRule);
    expect(form.text).toContain('The test sums in cart.spec.ts');
    const created = await fillIn(admin, newRule, {});
    const ofRule = created.headers.get('location') ?? '';
    const rule = await admin.get(ofRule);
    expect(rule.text).toContain('Failures of sums in cart.spec.ts do not fail runs');
    const list = await admin.get(`${project}/actions`);
    const name = textsOf(rule, 'h1')[0] ?? '';
    expect(name).toMatch(/sums/);
    expect(list.text).toContain(name);
    for (const shown of [form, rule, list]) {
      // The patterns are folded, and only runners read them.
      expect(textsOf(shown, 'h1').join()).not.toContain('/^');
      expect(shown.text.replaceAll(/Actions? Admins?|More actions/g, '')).not.toMatch(/\bactions?\b/i);
    }
  });
});

describe('The page of a test', () => {
  test('lists the executions of the period that its numbers are about', async () => {
    const { admin, failure, open } = await world();
    // The clock starts anew with each test, before the runs of this world.
    clock.advance(5 * 60_000);
    const link = linkIn(failure, '/tests/');
    const history = await admin.get(link);
    const period = /Runs from [^,]+, UTC, all branches/;
    expect(period.exec(history.text)?.[0]).toBe(period.exec((await open('/tests')).text)?.[0]);
    const count = Number(/Executions ?(\d+)/.exec(history.text)?.[1]);
    const rows = ({ elements }: Shown) => {
      const list = elements.findLast(({ tagName }) => tagName === 'tbody');
      return list ? elementsIn(list).filter(({ tagName }) => tagName === 'tr').length : 0;
    };
    expect(count).toBe(4);
    expect(rows(history)).toBe(count);
    const earlier = await admin.get(`${link}?date_start=2026-01-01&date_end=2026-01-02`);
    expect(rows(earlier)).toBe(0);
    expect([textsOf(earlier, 'h1'), textsOf(earlier, 'title')[0]]).toEqual([
      textsOf(history, 'h1'),
      textsOf(history, 'title')[0],
    ]);
  });
});

describeInChromium('In a browser', () => {
  test('The footer says of times and of days in which time zone lists and charts show them', async () => {
    const { admin, origin, project, failure } = await world();
    clock.advance(5 * 60_000);
    const page = await (await profile(origin, admin, { timezoneId: 'America/Los_Angeles' })).newPage();
    const open = async (path: string) => {
      await page.goto(path);
      return page.locator('body').textContent();
    };
    const footer = 'Times in your time zone, days in UTC';
    const insights = await open(`${project}/insights`);
    expect([insights?.includes(footer), insights?.includes('per day, in UTC')]).toEqual([true, true]);
    const history = await open(linkIn(failure, '/tests/'));
    expect(history).toContain(footer);
    // 10:02 in UTC.
    expect(history).toContain('2 Nov 2026, 02:02');
    expect(history).toMatch(/Runs from .*, UTC, all branches/);
  });
});

describe('The menu', () => {
  test('calls each page as its heading and its title do', async () => {
    const { admin, open, organizationId } = await world();
    for (const start of [await open('/runs'), await admin.get(`/${organizationId}`)]) {
      const menu = start.elements.find((one) => attribute(one, 'class') === 'items');
      const items = menu ? elementsIn(menu).filter(({ tagName }) => tagName === 'a') : [];
      expect(items.length).toBeGreaterThan(8);
      for (const item of items) {
        const name = textOf(item)
          .replace(/\d+ new$/, '')
          .trim();
        const shown = await admin.get(attribute(item, 'href') ?? '');
        expect([name, textsOf(shown, 'h1')[0]?.startsWith(name), textsOf(shown, 'title')[0]?.startsWith(name)]).toEqual(
          [name, true, true],
        );
      }
    }
  });
});

test('An imported run takes as long in the list of runs, on its page and in its spec file as its report says', async () => {
  const here = await service();
  const tests = [30, 60, 5]
    .map((time, index) => `<testcase classname="cart" name="t${index}" time="${time}"/>`)
    .join('');
  const report = `<testsuites><testsuite name="pytest" time="95.0" timestamp="2026-11-02T10:00:00">${tests}</testsuite></testsuites>`;
  const { body } = await sendReport(here, report, 'ciBuildId=build&branch=main');
  const guest = await signedIn(here, 'guest');
  const project = `/${here.organizationId}/${here.projectId}`;
  const run = await guest.get(`${project}/runs/${body.data.runId}`);
  expect((await guest.get(`${project}/runs`)).text).toContain('1m 35s');
  expect(run.text).toMatch(/Duration ?1m 35s/);
  const file = textsOf(run, 'tr').find((row) => row.includes('cart')) ?? '';
  expect(file).toContain('1m 35s');
});

test('Flaky executions of a test are counted alike by the page of a run, of a failure, of flaky tests and of all tests, and by the API, however often it passed', async () => {
  const here = await service();
  const record = async (ciBuildId: string, reserves: TestState, commit: object = {}) => {
    clock.advance(60_000);
    const tests = { [named('reserves')]: reserves };
    const suite = GROUPS.map((group) => suiteGroup(group, Object.keys(tests)));
    const instances = GROUPS.map((group) => batchInstance(group, 'cart.spec.ts', tests));
    return upload(here, suite, instances, { ciBuildId, commit: { ...COMMIT, branch: 'main', ...commit } });
  };
  // Two groups, so that the flaky executions are older than those of strips.
  for (const branch of ['main', 'feature'])
    for (const build of [1, 2]) await record(`${branch} ${build}`, flaky(), { branch });
  for (let build = 0; build < 22; build += 1) await record(`passed ${build}`, passed());
  const { runId } = await record('red', failed(), { sha: 'f'.repeat(40) });
  await compileRuns(here);
  const member = await signedIn(here, 'member');
  const project = `/${here.organizationId}/${here.projectId}`;
  const open = async (page: string) => (await member.get(project + page)).text;
  const instanceId = deriveInstanceId({ runId, groupId: 'chromium', spec: 'cart.spec.ts' });
  const run = await open(`/runs/${runId}`);
  const words = '8 flaky executions in the 14 days before, on all branches';
  expect(run.replaceAll(/\s+/g, ' ')).toContain(`known flaky ${words}`);
  expect(await open(`/instances/${instanceId}/test?test_id=${testIdOf('chromium', named('reserves'))}`)).toContain(
    `Known flaky: ${words}`,
  );
  const { sections } = await comparisonOf(here.reader, runId);
  expect(sections[0]?.tests[0]?.knownFlaky).toMatchObject({ events: 8 });
  expect(await open('/flaky')).toContain('8 of 54 executions');
  expect(await open('/tests?order=flakinessXSamples')).toMatch(/8 × 15 %/);
});

test('The last lines of rundown upload count each outcome of a report as the page of its run does', async () => {
  const here = await service();
  const tests = ['', '', '<failure>no</failure>', '<flakyFailure>no</flakyFailure>', '<skipped/>']
    .map((outcome, index) => `<testcase classname="cart" name="t${index}" time="1">${outcome}</testcase>`)
    .join('');
  const { body } = await sendReport(here, `<testsuites><testsuite name="cart">${tests}</testsuite></testsuites>`);
  const lines = formatTerminalSummary({ runUrl: null, runId: null, imports: [body.data], refused: [] });
  expect(lines).toContain('5 tests, 2 passed, 1 failed, 1 flaky, 1 skipped');
  const guest = await signedIn(here, 'guest');
  const run = await guest.get(`/${here.organizationId}/${here.projectId}/runs/${body.data.runId}`);
  const proportion = run.elements.find((one) => attribute(one, 'class') === 'proportion');
  const countsIn = (text = '') =>
    Object.fromEntries(
      [...text.matchAll(/(\d+) (passed|failed|flaky|skipped)/g)].map(([, count, word]) => [word, count]),
    );
  expect(countsIn(proportion && attribute(proportion, 'aria-label'))).toEqual(countsIn(lines));
});
