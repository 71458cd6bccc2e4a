/** jest-junit can list a file that does not run, by `reportTestSuiteErrors`. It lists it twice: as an error and as a failure. */
import type { FoundTest } from '#shared/reports/found.ts';

/** The class of both rows. Their name is the path of the file. */
export const BROKEN_FILE = 'Test suite failed to run';

/** Keeps the first row, which has the text of the problem. The second has its members as JSON. */
export function mergeBrokenFiles(tests: readonly FoundTest[]): readonly FoundTest[] {
  const seen = new Set<string>();
  return tests.filter(({ title, spec }) => {
    if (title[0] !== BROKEN_FILE) return true;
    const isFirst = !seen.has(spec);
    seen.add(spec);
    return isFirst;
  });
}
