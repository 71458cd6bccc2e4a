/**
 * Measures the pages of runs with 300 failures and with 20,000 tests: bytes, elements, height, read units and trips.
 * Such pages once were 17,000 pixels high.
 */
import type { Browser, Page } from 'playwright-core';
import { launchChromium, NO_CHROMIUM } from '#test/harness/launch-chromium.ts';
import type { Visitor } from '#test/harness/visitor.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { signedIn, zipped } from './pages.ts';
import { upload } from './recording.ts';
import { type SuiteSpec, suiteOf } from './suite.ts';

const RED = { specs: 20, testsPerSpec: 30, failures: 300 };
const HUGE = { specs: 400, testsPerSpec: 50, failures: 40 };
const CAUSES = ['received 404', 'is not visible', 'the shop is closed', 'no such route'];
const VIEWPORT = { width: 1440, height: 900 };

type PageName = 'redRun' | 'failurePage' | 'hugeRun' | 'allTests';

/** A suite in which the first tests fail, each by one of a few causes. */
const suiteWith = ({ failures, ...size }: typeof RED): SuiteSpec[] =>
  suiteOf(size).map(({ spec, tests }) => ({
    spec,
    tests: tests.map((test) => ({
      ...test,
      outcome: test.number < failures ? 'failed' : 'passed',
      error: `Error: ${CAUSES[test.number % CAUSES.length] ?? ''}`,
    })),
  }));

export async function measureLargePages(service: BenchService): Promise<Measurement[]> {
  const person = await signedIn(service);
  const project = `/${service.organizationId}/${service.projectId}`;
  const red = `${project}/runs/${await upload(service, 'red', suiteWith(RED))}`;
  // The base of the large run. With the red run as its base, the page would look up a hundred tests that no longer fail.
  await upload(service, 'green', suiteWith({ ...RED, failures: 0 }));
  const huge = `${project}/runs/${await upload(service, 'huge', suiteWith(HUGE))}`;
  const { links } = await person.get(red);
  const failure = links.find((link) => link.includes('/test?test_id=')) ?? '';
  const browser = NO_CHROMIUM ? undefined : await launchChromium();
  try {
    const page = browser && (await openPage(browser, service, person));
    const measure = (name: PageName, path: string) => measurePage(service, person, { name, path, page });
    return [
      ...(await measure('redRun', red)),
      ...(await measure('failurePage', failure)),
      ...(await measure('hugeRun', huge)),
      ...(await measure('allTests', `${huge}/tests`)),
    ];
  } finally {
    await browser?.close();
  }
}

async function openPage(browser: Browser, { origin }: BenchService, { cookie }: Visitor): Promise<Page> {
  const [name = '', value = ''] = cookie.split('=');
  const context = await browser.newContext({ baseURL: origin, viewport: VIEWPORT });
  const url = origin.replace(/^http:/, 'https:');
  await context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Lax' }]);
  return context.newPage();
}

interface Measured {
  readonly name: PageName;
  readonly path: string;
  /** `undefined` on machines without a Chromium, which then measure no height. */
  readonly page: Page | undefined;
}

async function measurePage(
  service: BenchService,
  person: Visitor,
  { name, path, page }: Measured,
): Promise<Measurement[]> {
  const { result, cost } = await service.counted(() => person.get(path));
  if (result.status !== 200) throw new Error(`${path} was answered with ${result.status}`);
  const measurements: Measurement[] = [
    { name: `${name}Kilobytes`, measured: zipped(result.html) },
    { name: `${name}Elements`, measured: result.elements.length },
    { name: `${name}Units`, measured: cost.readUnits },
    { name: `${name}Trips`, measured: cost.trips },
  ];
  if (!page) return measurements;
  await page.goto(path);
  const measured = await page.evaluate<number>('document.documentElement.scrollHeight');
  return [...measurements, { name: `${name}Height`, measured }];
}
