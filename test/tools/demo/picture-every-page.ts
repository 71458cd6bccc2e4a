/**
 * Takes pictures of the pages that a person can reach from the start page, in both themes and two widths. Takes only
 * the first few pages of each operation.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { loadFunctions } from '#infra/build/declarations.ts';
import { asSettings, LOOKS, type Look } from '#test/pages/seen.ts';

interface Place {
  readonly origin: string;
  readonly folder: string;
}

/**
 * Takes the pictures of the pages, whose names begin with an operation (`showRun-1-dark-360.png`), and the overviews
 * (`sheet-dark-360.png`). Returns the paths of all pictures.
 */
export async function takeEveryPage(context: BrowserContext, { origin, folder }: Place): Promise<string[]> {
  const page = await context.newPage();
  const found = await reach(page, origin);
  const paths: string[] = [];
  for (const look of LOOKS) {
    const { colorScheme, viewport } = asSettings(look);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    for (const [name, url] of found) {
      await page.goto(url);
      const path = join(folder, `${name}-${look.theme}-${look.width}.png`);
      await page.screenshot({ path, fullPage: true });
      paths.push(path);
    }
  }
  for (const look of LOOKS) paths.push(await makeSheet(page, folder, { look, names: [...found.keys()] }));
  return paths;
}

const SHEET = { width: 2000, columns: 5 };

/** Makes one picture that shows the tops of all pages side by side, in one theme and width. */
async function makeSheet(
  page: Page,
  folder: string,
  { look, names }: { readonly look: Look; readonly names: readonly string[] },
): Promise<string> {
  const ending = `${look.theme}-${look.width}.png`;
  const figures = names.map((name) => `<figure>${name}<img src="${name}-${ending}"></figure>`);
  const style = `body { display: grid; grid-template-columns: repeat(${SHEET.columns}, 1fr); gap: 8px; font: 12px sans-serif }
    figure { margin: 0; max-height: 600px; overflow: hidden } img { width: 100% }`;
  await page.setViewportSize({ width: SHEET.width, height: 1000 });
  const html = join(folder, `sheet-${ending}.html`);
  await writeFile(html, `<!DOCTYPE html><style>${style}</style>${figures.join('')}`);
  await page.goto(pathToFileURL(html).href);
  const path = join(folder, `sheet-${ending}`);
  await page.screenshot({ path, fullPage: true });
  return path;
}

/**
 * The maximum number of pages per operation. Pages of the same operation may look different, such as those of a run in
 * progress and of a failed run.
 */
const EXAMPLES = 3;

/**
 * Finds pages by following links in the order in which pages show them. Returns the first `EXAMPLES` addresses of each
 * operation by name, such as `showRun-1`.
 */
async function reach(page: Page, origin: string): Promise<ReadonlyMap<string, string>> {
  const operationOf = await operations();
  const found = new Map<string, string>();
  const names = new Map<string, string[]>();
  const waiting = new Set([`${origin}/`]);
  for (const url of waiting) {
    const operationId = operationOf(new URL(url).pathname);
    const examples = names.get(operationId ?? '') ?? [];
    if (operationId === undefined || examples.length === EXAMPLES) continue;
    names.set(operationId, [...examples, url]);
    found.set(`${operationId}-${examples.length + 1}`, url);
    await page.goto(url);
    waiting.add(page.url());
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a[href]')].map((link) => new URL(link.getAttribute('href'), location.href).href)",
    );
    for (const link of links) if (link.startsWith(`${origin}/`)) waiting.add(link.replace(/#.*/, ''));
  }
  return found;
}

/** Operations that do not return a whole HTML document, but a file or a part of a page. */
const NO_DOCUMENT = /^get|Live$/;

async function operations(): Promise<(path: string) => string | undefined> {
  const { pageFunctions } = await loadFunctions();
  const routes = pageFunctions
    .flatMap(({ pages }) => pages.map(({ declaration }) => declaration))
    .filter(({ method }) => method === 'GET')
    .map(({ path, operationId }) => ({
      operationId,
      parameters: path.endsWith('+}') ? Number.POSITIVE_INFINITY : path.split('{').length,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\+\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }))
    // Routes with fewer parameters come first, because a literal segment takes precedence over a parameter. The page
    // for unknown addresses comes last.
    .sort((one, other) => one.parameters - other.parameters);
  return (path) => {
    const operationId = routes.find(({ pattern }) => pattern.test(path))?.operationId;
    return operationId === undefined || NO_DOCUMENT.test(operationId) ? undefined : operationId;
  };
}
