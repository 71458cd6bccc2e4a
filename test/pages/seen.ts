/**
 * What a real browser reports about a page: accessibility violations, console messages, requests to other origins,
 * horizontal scrolling, and elements that move while the page loads.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { IS_DEEP } from '#test/harness/cases.ts';

export interface Look {
  readonly theme: 'light' | 'dark';
  /** Pixels. */
  readonly width: number;
}

const WIDTHS = IS_DEEP ? [1440, 1024, 390, 360] : [1200, 360];

export const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  WIDTHS.map((width) => ({ theme, width })),
);

export const asSettings = ({ theme, width }: Look) =>
  ({ colorScheme: theme, viewport: { width, height: 900 } }) as const;

/** Reads the minified file, because browsers parse it faster. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];
const RUN_AXE = `axe.run(document, { runOnly: ${JSON.stringify(STANDARD)}, resultTypes: ['violations'] })`;

export interface Seen {
  readonly status: number;
  /** The violated accessibility rules, each with the first element that breaks it. */
  readonly violations: readonly string[];
  readonly messages: readonly string[];
  /** Requests to origins other than the page's own origin and `artifacts`. */
  readonly foreign: readonly string[];
  /** The number of pixels by which the page is wider than its window. */
  readonly overflow: number;
  /** Links, buttons and fields that are less than 20 pixels high, except links within a text. */
  readonly small: readonly string[];
  /** Names in the breadcrumbs of a narrow screen that are cut although they are short, or that stand beside others. */
  readonly cut: readonly string[];
  /**
   * The layout shifts while the page loaded, each with its score and the parents of the elements that moved. Empty if
   * the total score is below 0.01.
   */
  readonly moved: readonly string[];
}

/** The expected report about a page without problems. */
export const FINE = { violations: [], messages: [], foreign: [], overflow: 0, small: [], cut: [], moved: [] } as const;

/** Opens the path in a tab of this browser context. `artifacts` is the only other origin from which pages may load. */
export async function see(context: BrowserContext, path: string, artifacts: string): Promise<Seen> {
  const page = context.pages()[0] ?? (await newPage(context));
  // Unloads the previous page, so that none of its events are counted.
  await page.goto('about:blank');
  page.removeAllListeners();
  const messages: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  const answer = await page.goto(path);
  const status = answer?.status() ?? 0;
  const own = new URL(page.url()).origin;
  const violations = await violationsOf(page);
  const moved = await page.evaluate<string[]>(MOVED);
  const sizes = await measureInWidths(page);
  return {
    status,
    violations,
    // If the status is not 200, the browser logs a failed load. The test checks the status separately.
    messages: messages.filter((text) => status === 200 || !text.startsWith('Failed to load resource')),
    foreign: requests.filter((url) => ![own, artifacts].includes(new URL(url).origin)),
    overflow: Math.max(...sizes.map(({ overflow }) => overflow)),
    small: [...new Set(sizes.flatMap(({ small }) => small))],
    cut: [...new Set(sizes.flatMap(({ cut }) => cut))],
    moved,
  };
}

type Sizes = Pick<Seen, 'overflow' | 'small' | 'cut'>;

/** Measures the page in each width. The browser draws it anew for each, which is cheaper than to open it again. */
async function measureInWidths(page: Page): Promise<Sizes[]> {
  const look = page.viewportSize();
  const sizes: Sizes[] = [];
  for (const width of new Set([...(look ? [look.width] : []), ...WIDTHS])) {
    if (width !== page.viewportSize()?.width) await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const small = await page.evaluate<string[]>(SMALL);
    sizes.push({ overflow, small, cut: width < PHONE ? await page.evaluate<string[]>(CUT) : [] });
  }
  if (look) await page.setViewportSize(look);
  return sizes;
}

const LEAST_HEIGHT = 20;

/**
 * The visible targets that are too low. A field is as high as its label, and a link that covers its row as high as the
 * row. A link beside other words in its block is as high as its text.
 */
const SMALL = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')].flatMap((target) => {
  if (!target.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
  const heights = [target, ...(target.labels ?? [])].map((one) => one.getBoundingClientRect().height);
  const height = Math.max(...heights);
  // What only screen readers see is one pixel high.
  if (height < 2 || height >= ${LEAST_HEIGHT}) return [];
  if (getComputedStyle(target, '::after').position === 'absolute') return [];
  let block = target.parentElement;
  while (block && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
  const words = block?.cloneNode(true);
  for (const other of words?.querySelectorAll('a, button, svg, .visually-hidden') ?? []) other.remove();
  const isInText = getComputedStyle(target).display === 'inline' && /\\p{L}/u.test(words?.textContent ?? '');
  return isInText ? [] : [Math.round(height) + ' px: ' + target.outerHTML.slice(0, 120)];
})`;

/** Narrower screens show only the way up. */
const PHONE = 500;
const SHORT = 25;

const CUT = `[...document.querySelectorAll('.breadcrumbs li > *')].filter((name) => name.checkVisibility()).flatMap((name, place) => {
  const isCut = name.scrollWidth > name.clientWidth + 1 && name.textContent.length <= ${SHORT};
  return isCut || place > 0 ? [name.textContent] : [];
})`;

/** Collects layout shifts from the beginning of each document. */
const SHIFTS = `globalThis.layoutShifts = []; new PerformanceObserver((list) => {
  globalThis.layoutShifts.push(...list.getEntries());
}).observe({ type: 'layout-shift', buffered: true });`;
const MOVED = `layoutShifts.reduce((sum, { value }) => sum + value, 0) < 0.01 ? [] : layoutShifts.map(({ value, sources }) =>
  value.toFixed(4) + ' ' + sources.map(({ node }) => node?.parentElement?.outerHTML?.slice(0, 200)).join(' AND '))`;

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(SHIFTS);
  return page;
}

/** Runs axe through the DevTools protocol, which the Content Security Policy of the page does not restrict. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ''}`);
}
