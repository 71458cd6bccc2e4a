/** jest-junit lists a file that does not run twice, as an error and as a failure. It is one test. */
import type { FoundTest } from '#shared/reports/found.ts';

const BROKEN = /failed to run|execution failure/i;

export function mergeBrokenFiles(tests: readonly FoundTest[]): readonly FoundTest[] {
  const seen = new Set<string>();
  return tests.filter((test) => {
    const [error] = test.attempts.at(-1)?.errors ?? [];
    if (!error || !BROKEN.test(test.title.join(' '))) return true;
    const key = JSON.stringify([test.spec, error.stack ?? error.message]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
