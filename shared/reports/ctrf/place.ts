/** The group, spec file and title of a CTRF test. `suite` and `name` overlap, in a different way for each writer. */
import { hookTitle, specPath, stableTitle } from '#shared/reports/paths.ts';
import type { CtrfTest } from './ctrf-wire.ts';

export interface CtrfPlace {
  readonly group: string | null;
  readonly spec: string;
  readonly title: readonly string[];
}

/** Group of a Playwright project without a name, as the streaming reporter calls it. */
const UNNAMED_PROJECT = 'project';

export function ctrfPlaceOf(test: CtrfTest, tool: string, root: string | undefined): CtrfPlace {
  if (tool === 'playwright') return playwrightPlace(test, root);
  const path = specPath(test.filePath, root);
  const [first = '', ...others] = test.suite;
  const isFile = first !== '' && isEndOf(path, first);
  const spec = path || specPath(first, root) || tool;
  const suites = isFile || path === '' ? others : test.suite;
  const title = titleOf(test, suites, isFile ? [first] : []);
  return { group: null, spec, title: title.map((part) => stableTitle(tool === 'mocha' ? hookTitle(part) : part)) };
}

/**
 * The place of a Playwright test. Its suites are `desktop > cart.spec.js > cart`: the project, the file below its test
 * directory, and the describes.
 */
function playwrightPlace({ suite, filePath, name }: CtrfTest, root: string | undefined): CtrfPlace {
  const path = specPath(filePath, root);
  const at = suite.findIndex((part) => part !== '' && isEndOf(path, part));
  if (at < 0) return { group: null, spec: path, title: [...suite, name] };
  const project = suite.slice(0, at).join(' > ');
  return {
    group: project || UNNAMED_PROJECT,
    spec: specPath(suite[at] ?? '', root),
    title: [...suite.slice(at + 1), name],
  };
}

const isEndOf = (path: string, part: string): boolean => {
  const end = part.replaceAll('\\', '/');
  return path === end || path.endsWith(`/${end}`);
};

const SEPARATORS = ['::', ' > ', ' › ', ' '] as const;

/** Removes the part of the name that the suites already contain. */
function titleOf({ name }: CtrfTest, suites: readonly string[], file: readonly string[]): readonly string[] {
  if (suites.length > 1 && name === suites.join(' > ')) return suites;
  for (const separator of SEPARATORS) {
    for (const before of [[...file, ...suites], suites]) {
      const prefix = `${before.join(separator)}${separator}`;
      if (before.length > 0 && name.startsWith(prefix)) return [...suites, name.slice(prefix.length)];
    }
  }
  return suites.at(-1) === name ? suites : [...suites, name];
}
