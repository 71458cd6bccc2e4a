import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, error, failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { valuesOf } from './form-of.ts';

const DAY = 86_400_000;
const named = (title: string): string => `cart.spec.ts > ${title}`;
const failingWith = (message: string) => failed({ attempts: [attempt('failed', { errors: [error(message)] })] });

/** Two runs a day for three days. The second half is slower, and broken by Alex Doe. */
async function stage() {
  const here = await service();
  for (let run = 0; run < 6; run += 1) {
    const tests = {
      [named('flips')]: run % 2 === 0 ? flaky() : passed(),
      [named('breaks')]: run < 3 ? passed() : failingWith('Error: card 17 was declined'),
      [named('pays')]: run === 5 ? failingWith('Error: card 4711 was declined') : passed(),
      'pay.spec.ts > is fine': passed(),
    };
    await recordRun(here, { retail: { tests } }, { ciBuildId: `build-${run}` });
    clock.advance(DAY / 2);
  }
  await compileRuns(here);
  const member = await signedIn(here, 'member');
  const project = `/${here.organizationId}/${here.projectId}`;
  return { ...here, member, project, open: (page: string) => member.get(project + page) };
}

const places = ({ text }: Shown, titles: readonly string[]): number[] => titles.map((title) => text.indexOf(title));
const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => number >= 0 && number > (numbers[index - 1] ?? -1));

describe('The tests explorer', () => {
  test('shows the tests with the most failures first, and answers frequent questions by links', async () => {
    const { open, member } = await stage();
    const first = await open('/tests');
    expect(isSorted(places(first, ['breaks', 'pays', 'flips', 'is fine']))).toBe(true);
    expect(first.text).toContain('50 % 3 ×');
    for (const preset of ['flakinessXSamples', 'failureRateDelta', 'durationXSamples', 'durationDelta']) {
      const link = first.links.find((one) => one.includes(`order=${preset}`)) ?? '';
      expect((await member.get(link)).status, preset).toBe(200);
    }
    const mostFlaky = await open('/tests?order=flakinessXSamples');
    expect(isSorted(places(mostFlaky, ['flips', 'breaks']))).toBe(true);
  });

  test('keeps its filters in its form and its links, and removes each by a link', async () => {
    const { open, member } = await stage();
    const query = '?title=BREAKS&spec=cart&branches%5B%5D=main&order=duration&date_start=2026-11-01&date_end=';
    const shown = await open(`/tests${query}`);
    expect(shown.text).toContain('1 of 1');
    expect(shown.text).toContain('Runs from 1 Nov 2026');
    expect(valuesOf(shown)).toMatchObject({ title: 'BREAKS', spec: 'cart', 'branches[]': 'main', order: 'duration' });
    const sort = shown.links.find((link) => link.includes('order=executions')) ?? '';
    expect(sort).toContain('title=BREAKS&spec=cart&branches%5B%5D=main');
    const removed = shown.links.find((link) => link.includes('spec=cart') && !link.includes('title=')) ?? '';
    expect((await member.get(removed)).text).toContain('3 of 3');
    const other = await open('/tests?branches[]=nope');
    expect(other.text).toContain('No test matches these filters');
    expect((await open('/tests?order=nope')).status).toBe(400);
  });

  test('hides rarely executed tests, and shows them by a link', async () => {
    const here = await service();
    await recordRun(here, { retail: { tests: { [named('rare')]: passed() } } });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const shown = await member.get(`/${here.organizationId}/${here.projectId}/tests`);
    expect(shown.text).toContain('No test ran 5 times in this period');
    const link = shown.links.find((one) => one.includes('min_executions=0')) ?? '';
    expect((await member.get(link)).text).toContain('rare');
  });

  test('leads through all pages of its rows, and says how many there are', async () => {
    const { open, member } = await stage();
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

describe('The flaky tests of a project', () => {
  test('show their evidence and their state, and each state by a link', async () => {
    const { open, member } = await stage();
    const shown = await open('/flaky');
    expect(shown.text).toMatch(/flips cart\.spec\.ts · 3 of 6 executions\s*≈ flaky/);
    expect(shown.text).not.toContain('is fine');
    const link = shown.links.find((one) => one.includes('recovered')) ?? '';
    expect((await member.get(link)).text).toContain('No test is recovered');
  });
});

describe('The errors of a project', () => {
  test('count errors apart from numbers, and one error shows each of its tests', async () => {
    const { open, member } = await stage();
    const errors = await open('/errors');
    expect(errors.text).toContain('card <n> was declined');
    const one = errors.links.find((link) => link.includes('/errors/one') && link.includes('declined')) ?? '';
    const shown = await member.get(one);
    expect(shown.text).toContain('4 occurrences in 2 tests on main');
    expect(isSorted(places(shown, ['breaks', 'pays']))).toBe(true);
    expect((await open('/errors/one?message=unknown')).status).toBe(404);
    expect((await open('/errors?error_message=unknown')).text).toContain('No error matches these filters');
  });

  test('are masked like other texts of errors', async () => {
    const here = await service();
    const token = 'AKIAIOSFODNNEXAMPLEQ';
    await recordRun(here, { retail: { tests: { [named('leaks')]: failingWith(`Error: bad token ${token}`) } } });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const errors = await member.get(`/${here.organizationId}/${here.projectId}/errors`);
    expect(errors.text).toContain('bad token');
    expect(errors.html).not.toContain(token);
    const one = errors.links.find((link) => link.includes('/errors/one')) ?? '';
    const shown = await member.get(one);
    expect(shown.text).toContain('1 occurrence in 1 test on main');
    expect(shown.html).not.toContain(token);
  });
});

describe('A project over time', () => {
  test('shows its runs and tests as charts, with a table of the same numbers', async () => {
    const { open } = await stage();
    const { text, html } = await open('/insights');
    expect(text).toContain('6, 3 passed, 3 failed');
    expect(text).toContain('24 executions, 17 % failed, 13 % flaky');
    expect(html.match(/<svg/g)?.length).toBe(2 + 1);
    expect(text).toMatch(/2 Nov 2026\s*2\s*0\s*0\s*0/);
    expect((await open('/insights?resolution=1w')).text).toContain('Runs a week');
    expect((await open('/insights?branches[]=nope')).text).toContain('No run in this period matches');
  });

  test('shows its spec files with links to their tests', async () => {
    const { open, member } = await stage();
    const shown = await open('/spec-files?order=failureRate');
    expect(isSorted(places(shown, ['cart.spec.ts', 'pay.spec.ts']))).toBe(true);
    const tests = shown.links.find((link) => link.includes('spec=pay.spec.ts')) ?? '';
    expect((await member.get(tests)).text).toContain('is fine');
  });
});

describe('The projects of an organization', () => {
  test('show what fails now on the default branch, and how runs ended lately', async () => {
    const here = await stage();
    const { text, links, html } = await here.member.get(`/${here.organizationId}`);
    expect(text).toContain('2 failing on main');
    expect(text).toContain('6 runs, 50 % failed');
    expect(text).toContain('13 % flaky tests');
    expect(html).toContain('aria-label="Failed runs a day: ');
    expect(links).toContain(`${here.project}/tests?order=flakinessXSamples`);
    const guest = await signedIn(here, 'guest');
    expect((await guest.get(`/${here.organizationId}`)).text).not.toContain('failing on');
  });
});

describe('The page of a test', () => {
  test('shows the change of its metrics, and to Guests only its executions', async () => {
    const here = await stage();
    clock.advance(12 * DAY);
    await recordRun(here, { retail: { tests: { [named('breaks')]: passed() } } }, { ciBuildId: 'build-6' });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const explorer = await member.get(`${here.project}/tests?min_executions=0&title=breaks`);
    const link = explorer.links.find((one) => one.includes('/tests/')) ?? '';
    expect((await member.get(link)).text).toMatch(/Executions\s*3\s*Failed\s*67 % \+42 points worse/);
    const { text } = await (await signedIn(here, 'guest')).get(link);
    expect(text).toContain('Newest first');
    expect(text).not.toContain('compared with the same time before');
  });

  test('names the commit since which it fails on the default branch, unless it passed', async () => {
    const { open, member } = await stage();
    const explorer = await open('/tests');
    const linkOf = (title: string) =>
      new RegExp(`href="([^"]*/tests/[0-9a-f]+)">${title}<`).exec(explorer.html)?.[1] ?? 'no link';
    const broken = await member.get(linkOf('breaks'));
    expect(broken.text).toMatch(/Failing on main since 3 Nov 2026, 22:00 UTC\s*: commit 1560994/);
    expect(broken.text).toContain('Let traders see net prices, by Alex Doe. 3 failures without a pass');
    expect((await member.get(linkOf('is fine'))).text).not.toContain('Failing on main');
    expect((await member.get(`${linkOf('breaks')}?status[]=failed`)).text).not.toContain('Failing on main');
  });
});
