import { describe, expect, test } from 'vitest';
import { linkToError } from '#shared/pages/shell/hrefs.ts';
import { compileRuns, mergeRuns } from '#test/harness/analytics.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { attribute, textOf } from '#test/harness/elements.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { DAY, failingWith, isSorted, named, places, sharedStage } from './analytics-stage.ts';
import { valuesOf } from './form-of.ts';

/** Returns the text alternative of each trend chart. */
const trendsIn = ({ html }: Shown): string[] =>
  [...html.matchAll(/role="img" aria-label="([^"]*of \d+)"/g)].map(([, label = '']) => label);

describe('The tests explorer', () => {
  test('lists the tests with the most failures first, with the number by which it is sorted first, and links to four other orders', async () => {
    const { open, member } = await sharedStage();
    const first = await open('/tests');
    expect(isSorted(places(first, ['breaks', 'pays', 'flips', 'is fine']))).toBe(true);
    expect(first.text).toContain('3 × 50 %');
    for (const preset of ['flakinessXSamples', 'failureRateDelta', 'durationXSamples', 'durationDelta']) {
      const link = first.links.find((one) => one.includes(`order=${preset}`)) ?? '';
      expect((await member.get(link)).status, preset).toBe(200);
    }
    const mostFlaky = await open('/tests?order=flakinessXSamples');
    expect(isSorted(places(mostFlaky, ['flips', 'breaks']))).toBe(true);
    expect(mostFlaky.text).toContain('3 × 50 %');
    expect((await open('/tests?order=flakiness')).text).toContain('50 % 3 ×');
  });

  test('shows a trend of the daily results of each test', async () => {
    const { open } = await sharedStage();
    const trends = trendsIn(await open('/tests'));
    expect(trends).toHaveLength(4);
    const [breaks = '', pays = '', flips = '', fine = ''] = trends;
    const days = (...texts: string[]) => texts.map((text, day) => `${day + 2} Nov 2026: ${text} of 2`).join(', ');
    expect(breaks).toBe(days('none failed', '1 failed', '2 failed'));
    expect(pays).toBe(days('none failed', 'none failed', '1 failed'));
    expect(flips).toBe(days('1 flaky', '1 flaky', '1 flaky'));
    expect(fine).toBe(days('none failed', 'none failed', 'none failed'));
  });

  test('shows changes only of tests with earlier data, and otherwise links the longest period that has any', async () => {
    const here = await service();
    const run = async (ciBuildId: string, titles: readonly string[]) => {
      await uploadRun(here, Object.fromEntries(titles.map((title) => [named(title), passed()])), { ciBuildId });
      clock.advance(DAY);
    };
    await run('first', ['pays']);
    clock.advance(8 * DAY);
    await run('second', ['pays', 'ships']);
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const open = (query: string) => member.get(`/${here.organizationId}/${here.projectId}/tests?${query}`);
    const shown = await open('order=durationDelta');
    expect(shown.text).toContain(
      'Changes are those since the 14 days before this period. None of these tests ran then.',
    );
    expect(shown.text).toContain('Compare 7 days');
    const link = shown.links.find((one) => one.includes('date_start=2026-11-06')) ?? 'no link';
    const { text } = await member.get(link);
    expect(text).toMatch(/All tests that also ran in the preceding period[\s\S]*pays/);
    expect(text).not.toMatch(/ships|earlier data/);
    expect((await open('order=failureRateDelta&date_start=2026-10-20')).text).toContain('Compare 7 days');
    expect((await open('title=ships&order=durationDelta')).text).toContain(
      'Changes appear when they have run for longer.',
    );
    expect((await open('')).text).toContain('ships');
  });

  test('shows the same trends, per day and per longer period, before and after the analytics of the runs are merged', async () => {
    const here = await service();
    for (let run = 0; run < 4; run += 1) {
      await uploadRun(here, { [named('breaks')]: run < 2 ? passed() : failed() }, { ciBuildId: `build-${run}` });
      clock.advance(DAY);
    }
    await compileRuns(here);
    const pages = ['2026-11-01&date_end=2026-11-09', '2026-10-01&date_end=2026-11-09'].map(
      (dates) => `/${here.organizationId}/${here.projectId}/tests?min_executions=0&date_start=${dates}`,
    );
    const trends = async () => {
      const member = await signedIn(here, 'member');
      return Promise.all(pages.map(async (page) => trendsIn(await member.get(page))));
    };
    const before = await trends();
    expect(before[0]?.[0]?.match(/ of 1/g)).toHaveLength(4);
    expect(before[1]?.[0]).toMatch(/^\d+ \w+ 2026 to \d+ Nov 2026: /);
    clock.advance(70 * DAY);
    for (let round = 0; round < 4; round += 1) await mergeRuns(here);
    expect(await trends()).toEqual(before);
  });

  test('keeps its filters in its form and its links, and each filter has a link that removes it', async () => {
    const { open, member } = await sharedStage();
    const query = '?title=BREAKS&spec=cart&branches%5B%5D=main&order=duration&date_start=2026-11-01&date_end=';
    const shown = await open(`/tests${query}`);
    expect(shown.text).not.toContain('1 of 1');
    expect(shown.text).toContain('Runs from 1 Nov 2026');
    expect(valuesOf(shown)).toMatchObject({ title: 'BREAKS', spec: 'cart', order: 'duration' });
    expect(shown.html).toMatch(/<input[^>]*name="branches\[\]"[^>]*value="main"[^>]*checked/);
    const sort = shown.links.find((link) => link.includes('order=executions')) ?? '';
    expect(sort).toContain('title=BREAKS&spec=cart&branches%5B%5D=main');
    const removed = shown.links.find((link) => link.includes('spec=cart') && !link.includes('title=')) ?? '';
    expect((await member.get(removed)).text).toContain('3 of 3');
    const other = await open('/tests?branches[]=nope');
    expect(other.text).toContain('No test in this period matches these filters');
    expect((await open('/tests?order=nope')).status).toBe(400);
  });

  test('shows tests from the first run on, and hides rarely executed ones as soon as others ran at least five times', async () => {
    const here = await service();
    await uploadRun(here, { [named('seldom')]: passed(), [named('usual')]: passed() }, { ciBuildId: 'first' });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const tests = `/${here.organizationId}/${here.projectId}/tests`;
    const first = await member.get(tests);
    for (const part of ['seldom', 'usual', 'Few runs yet']) expect(first.text).toContain(part);
    for (let run = 2; run <= 5; run += 1)
      await uploadRun(here, { [named('usual')]: passed() }, { ciBuildId: `${run}` });
    await compileRuns(here);
    const later = await member.get(tests);
    expect(later.text).toContain('usual');
    for (const part of ['seldom', 'Few runs yet']) expect(later.text).not.toContain(part);
    expect((await member.get(`${tests}?min_executions=0`)).text).toContain('seldom');
    // A search for the title of such a test finds it.
    expect((await member.get(`${tests}?title=seldom`)).text).toContain('Few runs yet');
  });

  test('links to all pages of its list, and says how many tests there are', async () => {
    const { open, member } = await sharedStage();
    const first = await open('/tests?limit=3&order=title&dir=asc');
    expect(first.text).toContain('3 of 4');
    const next = first.links.find((link) => link.includes('page=1')) ?? '';
    const second = await member.get(next);
    expect(second.text).toContain('1 of 4');
    expect(second.links.some((link) => link.includes('limit=3&order=title&dir=asc') && !link.includes('page='))).toBe(
      true,
    );
  });
});

describe('The page of flaky tests', () => {
  test('shows the number of flaky executions and the state of each test, and links to the recovered tests', async () => {
    const { open, member } = await sharedStage();
    const shown = await open('/flaky');
    expect(shown.text).toMatch(/flips\s*cart\.spec\.ts · 3 of 6 executions.*?flaky/);
    expect(shown.text).not.toContain('is fine');
    const link = shown.links.find((one) => one.includes('recovered')) ?? '';
    expect((await member.get(link)).text).toContain('No test was recovered in this period');
  });

  test('shows the same rate of a test and the same period as the list of tests and the page of the test', async () => {
    const { open, member } = await sharedStage();
    const flakyTests = await open('/flaky');
    const tests = await open('/tests');
    const period = /Runs from [^,]+, UTC, all branches/;
    expect(period.exec(flakyTests.text)?.[0]).toBe(period.exec(tests.text)?.[0]);
    const link = /href="([^"]+)"[^>]*>flips/.exec(flakyTests.html)?.[1] ?? 'no link';
    expect(flakyTests.text).toMatch(/flips\s*cart\.spec\.ts · 3 of 6 executions.*?flaky\s*50 %/);
    expect(tests.text).toMatch(/flips.*?50 %/);
    expect((await member.get(link)).text).toMatch(/Flaky\s*50 %/);
  });

  test('shows which runs each test alone turned red, on which days, and the time lost in retries, and sorts by them', async () => {
    const { open } = await sharedStage();
    const { text, html } = await open('/flaky');
    // In the third of the runs in which "breaks" failed, another test failed as well.
    expect(text).toMatch(
      /breaks\s*cart\.spec\.ts · 3 on rerun in 6 executions\s*alone turned 2 runs red · last 12 h ago\s*flaky\s*50 %\s*only on rerun\s*at least \d+ %\s*2\s*–\s*0\s*3/,
    );
    expect(html).toContain('aria-label="Flaky and failed executions per day: 1 on 3 Nov 2026, 2 on 4 Nov 2026"');
    expect(text).toMatch(/flips\s*cart\.spec\.ts · 3 of 6 executions\s*lost 300 ms · last 1 day ago/);
    const byRuns = await open('/flaky?order=redRuns');
    expect(isSorted(places(byRuns, ['breaks', 'flips']))).toBe(true);
    const byTime = await open('/flaky?order=lostTime');
    expect(isSorted(places(byTime, ['flips', 'breaks']))).toBe(true);
  });

  test('gives each kind of event its rate, and marks a column as sorted only if its first numbers are', async () => {
    const here = await service();
    for (let run = 0; run < 10; run += 1) {
      const tests = {
        [named('retries')]: run === 0 ? flaky() : passed(),
        [named('reruns')]: run === 5 ? failed() : passed(),
        [named('both')]: run === 5 ? failed() : run < 2 ? flaky() : passed(),
      };
      await uploadRun(here, tests, { ciBuildId: `build-${run}` });
      clock.advance(1000);
    }
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const open = (query: string) => member.get(`/${here.organizationId}/${here.projectId}/flaky${query}`);
    const { text, html } = await open('');
    expect(text).toMatch(
      /both\s*cart\.spec\.ts · 2 on retry and 1 on rerun in 10 executions.*?flaky\s*20 %\s*and 10 % on rerun/,
    );
    expect(text).toMatch(/reruns\s*cart\.spec\.ts · 1 on rerun in 10 executions.*?suspected\s*10 %\s*only on rerun/);
    expect(text).toMatch(/retries\s*cart\.spec\.ts · 1 of 10 executions.*?suspected\s*10 %\s*at least/);
    expect(html).not.toContain('aria-sort');
    expect((await open('?order=redRuns')).html.match(/aria-sort="descending"/g)).toHaveLength(1);
  });

  test('covers the chosen branch and period only', async () => {
    const { open } = await sharedStage();
    expect((await open('/flaky?branches[]=main')).text).toContain('3 of 6 executions');
    expect((await open('/flaky?branches[]=nope')).text).toContain('No test in this period matches these filters');
    const { text } = await open('/flaky?date_start=2026-11-02&date_end=2026-11-03');
    expect(text).toMatch(/flips\s*cart\.spec\.ts · 1 of 2 executions/);
    expect(text).not.toContain('breaks');
  });

  test('counts no rerun on another branch than the chosen one', async () => {
    const here = await service();
    for (const [branch, state] of [
      ['main', passed()],
      ['feature', failed()],
    ] as const)
      await uploadRun(here, { [named('pays')]: state }, { ciBuildId: branch, ...onBranch(branch) });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const open = async (query: string) =>
      (await member.get(`/${here.organizationId}/${here.projectId}/flaky${query}`)).text;
    expect(await open('')).toContain('1 on rerun in 2 executions');
    expect(await open('?branches[]=main')).toContain('No test was flaky or suspected in this period');
  });
});

test('The page of flaky tests describes the tests of the chosen states, with a separate description for broken tests', async () => {
  const { open } = await sharedStage();
  const flaky = 'Tests that both passed and failed without a code change';
  const broken = 'Tests that very likely fail in 80 % or more of their executions on the default branch';
  for (const [states, texts] of [
    ['', [true, false]],
    ['?state[]=recovered', [true, false]],
    ['?state[]=broken', [false, true]],
    ['?state[]=broken&state[]=flaky', [true, true]],
  ] as const) {
    const { text } = await open(`/flaky${states}`);
    expect([text.includes(flaky), text.includes(broken)], states).toEqual(texts);
  }
});

describe('The pages of a project over time', () => {
  test('The insights page shows runs and tests of a project as charts, with a table of the same numbers', async () => {
    const { open } = await sharedStage();
    const { text, html } = await open('/insights');
    expect(text).toMatch(/Runs that passed\s*50 %\s*3 of 6/);
    expect(text).toMatch(/Failed or not run\s*17 %\s*4 of 24 executions/);
    expect(text).toMatch(/Flaky executions\s*13 %\s*3 of 24 executions/);
    expect(html.match(/<figure>/g)?.length).toBe(2 + 1);
    expect(html.match(/<summary>As a table/g)?.length, 'a table for each chart').toBe(2 + 1);
    expect(html).toContain('<title>2 Nov: 0 failed, 0 cancelled, 2 passed</title>');
    // The days are UTC days. In a `<time>` element, a script would show local time, which may be on another day.
    expect(html).not.toContain('<time');
    expect(text).toMatch(/2 Nov 2026\s*2\s*0\s*0\s*0/);
    expect((await open('/insights?resolution=1w')).text).toContain('Runs per week');
    expect((await open('/insights?branches[]=nope')).text).toContain('No run in this period matches these filters');
  });

  test('The insights page links each hour, day and week to exactly the runs that it counts', async () => {
    const { open, member } = await sharedStage();
    for (const [resolution, start, builds] of [
      ['1h&date_start=2026-11-01&date_end=2026-11-08', '2026-11-02T10:00', ['build-0']],
      ['1d', '2026-11-02T00:00', ['build-0', 'build-1']],
      ['1w', '2026-11-02T00:00', ['build-0', 'build-1', 'build-2', 'build-3', 'build-4', 'build-5']],
    ] as const) {
      const { links } = await open(`/insights?resolution=${resolution}`);
      const link = links.find((one) => one.includes(`/runs?date_start=${encodeURIComponent(start)}`)) ?? 'no link';
      const { text } = await member.get(link);
      expect([...new Set(text.match(/build-\d/g))].sort(), resolution).toEqual(builds);
    }
  });

  test('The insights page says how the numbers differ from the previous period of the same length', async () => {
    const { open } = await sharedStage();
    const { text } = await open('/insights?date_start=2026-11-04&date_end=2026-11-06');
    expect(text).toMatch(/Runs that passed\s*0 %\s*0 of 2, 75 points less than before/);
    // These runs took no time, because the clock of the test stood still.
    expect(text).toMatch(/Duration\s*0 ms\s*median of complete runs, 95 % within 0 ms, about the same as before/);
    expect(text).toContain('median of the period before');
  });

  test('The insights page says if there are no runs to compare with, and links the longest shorter period that has some', async () => {
    const { open, member } = await sharedStage();
    const whole = await open('/insights?date_start=2026-10-06&date_end=2026-11-05');
    expect(whole.text).toContain('Not compared: there are no runs in the 30 days before this period.');
    expect(whole.text).not.toMatch(/than before|median of the period before|Compare/);
    const early = await open('/insights?date_start=2026-10-12&date_end=2026-11-11');
    expect(early.text).toContain('Compare 7 days');
    const link = early.links.find((one) => one.includes('date_start=2026-11-04')) ?? 'no link';
    expect((await member.get(link)).text).toContain('than before');
  });

  test('The insights page shows no rate of a period in which nothing ran', async () => {
    const { open } = await sharedStage();
    const { text } = await open('/insights?date_start=2026-10-04&date_end=2026-10-06');
    expect(text).toMatch(/Runs that passed\s*–\s*0 of 0/);
    expect(text).toMatch(/Failed or not run\s*–\s*0 of 0 executions/);
    expect(text).toMatch(/Flaky executions\s*–\s*0 of 0 executions/);
  });

  test('The insights page shows on which days tests of which spec files failed, with links to them', async () => {
    const { open, project } = await sharedStage();
    const { html } = await open('/insights');
    const map = /<ul class="heat">(.*?)<\/ul>/s.exec(html)?.[1] ?? '';
    expect(map).toContain(`href="${project}/spec-files/`);
    expect(map).toContain('aria-label="1 on 2 Nov, 2 on 3 Nov, 4 on 4 Nov"');
    expect(map).toContain('<title>1 Nov: 0</title>');
    expect(map).not.toContain('pay.spec.ts');
  });

  test('The insights page shows hours for at most seven days, says so for longer periods, and links to seven days', async () => {
    const { open, project } = await sharedStage();
    const long = await open('/insights?resolution=1h');
    expect(long.text).toContain('Hours are shown for periods of at most 7 days. This page shows days.');
    expect(long.text).toContain('Runs per day');
    const link =
      long.links.find((one) => one.startsWith(`${project}/insights?`) && one.includes('resolution=1h')) ?? '';
    const hours = await open(link.slice(project.length));
    expect(hours.text).toContain('Runs per hour');
    expect(hours.text).not.toContain('Hours are shown');
  });

  test('The page of spec files lists the spec files of a project, and links to the metrics and the tests of each spec file', async () => {
    const { open, member, project } = await sharedStage();
    const shown = await open('/spec-files?order=failureRate');
    expect(isSorted(places(shown, ['cart.spec.ts', 'pay.spec.ts']))).toBe(true);
    const link = new RegExp(`href="(${project}/spec-files/[^"]+)">pay\\.spec\\.ts<`).exec(shown.html)?.[1] ?? '';
    const file = await member.get(link);
    expect(file.text).toMatch(/Executions\s*6\s*Failed\s*0 %/);
    expect(file.text).toContain('is fine');
    expect(file.text).not.toMatch(/breaks|Failures per day/);
    const failing = new RegExp(`href="(${project}/spec-files/[^"]+)">cart\\.spec\\.ts<`).exec(shown.html)?.[1] ?? '';
    const days = /Failures per day.*?As a table(.*?)Tests of this file/.exec((await member.get(failing)).text)?.[1];
    expect(days).toMatch(/^WhenFailedFlaky.*3 Nov\d+.*4 Nov\d+/);
    expect((await member.get(`${link}?order=title&dir=asc&branches[]=main`)).status).toBe(200);
    expect((await open('/spec-files/nope')).status).toBe(404);
  });

  test('Errors with the same first line have different titles, and the page of an error links to its first run', async () => {
    const here = await service();
    const sentence = 'Error: expect(locator).toHaveText(expected) failed';
    const failingAt = (locator: string) =>
      failingWith(`${sentence}\n\nLocator: ${locator}\nExpected: "a"\nReceived: "b"`);
    const tests = {
      [named('one')]: failingAt("getByRole('alert')"),
      [named('other')]: failingAt("getByRole('status')"),
    };
    await uploadRun(here, { [named('old')]: failingWith('Error: card 17 was declined') }, { ciBuildId: 'before' });
    clock.advance(10 * DAY);
    const { runId } = await uploadRun(here, tests, { ciBuildId: 'first' });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const project = `/${here.organizationId}/${here.projectId}`;
    const list = await member.get(`${project}/errors?date_start=${new Date(Date.now() - 8 * DAY).toISOString()}`);
    const titles = ["toHaveText · getByRole('alert')", "toHaveText · getByRole('status')"];
    const legend = list.elements.filter(
      (one) => /^c\d$/.test(attribute(one, 'class') ?? '') && one.nodeName === 'span',
    );
    expect(legend.map(textOf).sort()).toEqual(titles);
    const rows = list.elements.filter((one) => attribute(one, 'class') === 'test-name');
    expect(rows.map(textOf).sort()).toEqual(titles);
    expect(list.text).toContain('new since');
    const link = list.links.find((one) => one.includes('/errors/one?')) ?? '';
    const error = await member.get(link);
    expect(error.links).toContain(`${project}/runs/${runId}`);
    expect(error.text).toMatch(/First seen.*Alex Doe/);
  });

  test('An empty page of errors or insights offers to clear filters only if it has one, and not if it is only sorted or divided', async () => {
    const here = await service();
    const member = await signedIn(here, 'member');
    const open = (path: string) => member.get(`/${here.organizationId}/${here.projectId}${path}`);
    for (const path of ['/errors?order_by=tests&dir=asc', '/insights?resolution=1w']) {
      const { text } = await open(path);
      expect(text, path).toContain('A project without runs');
      expect(text, path).not.toContain('Clear filters');
      expect((await open(`${path}&branches[]=main`)).text, path).toContain('Clear filters');
    }
  });

  test('The link to an error keeps the filters of the list, whatever is known of the error', () => {
    const at = { base: '', organizationId: 'acme', projectId: 'shop' };
    const filters = { date_start: ['2026-11-01'], 'branches[]': ['main', 'next'] };
    const query = 'date_start=2026-11-01&branches%5B%5D=main&branches%5B%5D=next';
    expect(linkToError(at, { message: null }, filters)).toBe(`/acme/shop/errors/one?${query}`);
    expect(linkToError(at, { message: 'Lost' }, filters)).toBe(`/acme/shop/errors/one?message=Lost&${query}`);
  });

  test('The errors page shows the errors of a project per day as stacked bars, with a table of the same numbers', async () => {
    const { open } = await sharedStage();
    const { text, html } = await open('/errors');
    expect(html.match(/<rect class="c1"/g)?.length).toBe(2);
    expect(text).toMatch(/2 Nov\s*0\s*1\s*3 Nov\s*1\s*1\s*4 Nov\s*3\s*1/);
    expect((await open('/errors?branches[]=nope')).html).not.toContain('<rect class="c1"');
  });
});

describe('The overview of an organization', () => {
  test('The overview shows the tests that currently fail on default branches, the errors of these tests, and how recent runs ended', async () => {
    const here = await sharedStage();
    const { text, links, html } = await here.member.get(`/${here.organizationId}`);
    const attention = text.slice(text.indexOf('Needs attention'), text.indexOf('main passes'));
    expect(attention).toMatch(/breaks\s*in .*?failed in 3 runs, first .*?Alex Doe.*?1560994.*?card 17 was declined/s);
    expect(attention).toMatch(/pays\s*in .*?failed in 1 run, .*?card 4711 was declined/s);
    expect(text).toContain('2 failing on main');
    expect(text).toMatch(/Passed\s*50 %\s*of 6 runs/);
    expect(text).toMatch(/Flaky\s*13 %/);
    expect(html).toContain('aria-label="Failed runs per day: ');
    expect(links).toContain(`${here.project}/flaky`);
    expect(text).toMatch(/Latest runs.*build-5.*build-4.*build-0/s);
    const guest = await (await signedIn(here, 'guest')).get(`/${here.organizationId}`);
    expect(guest.text).not.toContain('Needs attention');
    expect(guest.text).toMatch(/Latest runs.*build-5/s);
  });

  test('The overview says to each role how many tests fail on the default branch of a project', async () => {
    const here = await sharedStage();
    for (const role of ['admin', 'guest'] as const) {
      const { text } = await (await signedIn(here, role)).get(`/${here.organizationId}`);
      expect(text).toContain('2 failing on main');
    }
  });

  test('The overview names at most three failed tests of a project, counts the other failed tests, and masks secrets in errors', async () => {
    const here = await service();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const titles = ['a', 'b', 'c', 'd', 'e'].map(named);
    const failures = titles.map((title) => [title, failingWith(`Error: token ${token}`)]);
    await uploadRun(here, Object.fromEntries(failures), { ciBuildId: 'build-0' });
    await compileRuns(here);
    const { text } = await (await signedIn(here, 'member')).get(`/${here.organizationId}`);
    expect(text.match(/failed in 1 run, /g)).toHaveLength(3);
    expect(text).toContain('2 more tests are failing on main');
    expect(text).not.toContain(token);
    expect(text).toContain('[masked: GitHub token]');
  });

  test('The overview lists a test only once if it fails in two groups, and names both groups', async () => {
    const here = await service();
    const suite = (name: string) => ({ tests: { [named('pays')]: failed() }, environment: name });
    await recordRun(here, { chromium: suite('a'), firefox: suite('b') }, { ciBuildId: 'build-0' });
    await compileRuns(here);
    const { text } = await (await signedIn(here, 'member')).get(`/${here.organizationId}`);
    expect(text).toMatch(/pays\s*in Shop\s*cart\.spec\.ts\s*chromium, firefox/);
    expect(text).not.toContain('more test');
  });

  test('The overview says if the latest run of a default branch took much longer than usual, with the same number as the list of runs', async () => {
    const here = await service();
    const slow = async (ciBuildId: string, seconds: number) => {
      const run = await startRun(here, [suiteGroup('retail', [named('pays')])], { ciBuildId, group: 'retail' });
      const { instanceId } = await claim(here, run, 'cart.spec.ts');
      clock.advance(seconds * 1000);
      const claimed = { runId: run.runId, groupId: 'retail', spec: 'cart.spec.ts', instanceId };
      await createRecord(here, claimed, named('pays'), passed());
      await compileRuns(here);
      const member = await signedIn(here, 'member');
      const sayUsual = async (path: string) => (await member.get(path)).text.match(/usual × \d+\.\d/g) ?? [];
      const overview = `/${here.organizationId}`;
      return { onOverview: await sayUsual(overview), onRuns: await sayUsual(`${overview}/${here.projectId}/runs`) };
    };
    for (const build of ['build-0', 'build-1', 'build-2'])
      expect(await slow(build, 10)).toEqual({ onOverview: [], onRuns: [] });
    const { onOverview, onRuns } = await slow('build-3', 60);
    expect(onOverview.length).toBeGreaterThan(0);
    expect(new Set(onOverview)).toEqual(new Set(onRuns));
    expect((await slow('build-4', 10)).onOverview).toEqual([]);
  });
});

describe('The page of a test', () => {
  test('compares the metrics of the test with the previous period, but shows Guests only the executions of the test', async () => {
    const here = await service();
    const project = `/${here.organizationId}/${here.projectId}`;
    for (let run = 0; run < 6; run += 1) {
      await uploadRun(here, { [named('breaks')]: run < 3 ? passed() : failed() }, { ciBuildId: `build-${run}` });
      clock.advance(DAY / 2);
    }
    clock.advance(12 * DAY);
    await uploadRun(here, { [named('breaks')]: passed() }, { ciBuildId: 'build-6' });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const explorer = await member.get(`${project}/tests?min_executions=0&title=breaks`);
    const link = explorer.links.find((one) => one.includes('/tests/')) ?? '';
    expect((await member.get(link)).text).toMatch(/Executions\s*3\s*Failed\s*67 %\s*\+42 points worse/);
    const { text } = await (await signedIn(here, 'guest')).get(link);
    expect(text).toContain('Newest first');
    expect(text).not.toContain('compared with the previous period');
  });

  test('The page of a failing test names the commit since which the test has failed on the default branch', async () => {
    const { open, member } = await sharedStage();
    const explorer = await open('/tests');
    const linkOf = (title: string) =>
      new RegExp(`href="([^"]*/tests/[0-9a-f]+)">${title}<`).exec(explorer.html)?.[1] ?? 'no link';
    const broken = await member.get(linkOf('breaks'));
    expect(broken.text).toMatch(/Failing on main since 3 Nov 2026, 22:00\s*, commit 1560994/);
    expect(broken.text).toContain('Let traders see net prices, by Alex Doe. 3 failures without a pass');
    expect((await member.get(linkOf('is fine'))).text).not.toContain('Failing on main');
    expect((await member.get(`${linkOf('breaks')}?status[]=passed`)).text).toContain('Failing on main since 3 Nov');
  });
});

test('The analytics pages and the search say that a run that has just ended is still being added, until they include the run', async () => {
  const here = await service();
  await uploadRun(here, { [named('breaks')]: failed() }, { ciBuildId: 'build-5' });
  await compileRuns(here);
  clock.advance(DAY);
  const member = await signedIn(here, 'member');
  const project = `/${here.organizationId}/${here.projectId}`;
  const pages = ['tests', 'flaky', 'errors', 'insights', 'spec-files', 'search?q=breaks'].map(
    (page) => `${project}/${page}`,
  );
  const notices = async () => {
    const all = await Promise.all([`/${here.organizationId}`, ...pages].map((page) => member.get(page)));
    return all.map(({ text }) => text.includes('Runs that ended within the last minute are still being added'));
  };
  expect(await notices()).toEqual(Array(7).fill(false));
  await uploadRun(here, { [named('breaks')]: passed() }, { ciBuildId: 'build-6' });
  expect(await notices()).toEqual(Array(7).fill(true));
  await compileRuns(here);
  expect(await notices()).toEqual(Array(7).fill(false));
});
