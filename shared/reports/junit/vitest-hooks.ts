/**
 * Vitest reports a failing hook as a row that is named only after its suite, and the tests that it stopped look like
 * declared skips. Drops such rows, and makes their tests skipped with the error of the hook.
 */
import type { FoundTest } from '#shared/reports/found.ts';

export function blameHooks(tests: readonly FoundTest[]): readonly FoundTest[] {
  const suites = new Map<string, FoundTest[]>();
  for (const test of tests) {
    if (test.outcome !== 'pending') continue;
    for (const suite of new Set(test.title.slice(0, -1))) append(suites, keyOf(test, suite), test);
  }
  const blamed = new Map<FoundTest, FoundTest>();
  const hooks = new Set<FoundTest>();
  for (const test of tests) {
    const [name = ''] = test.title;
    const stopped = test.title.length === 1 && test.outcome === 'failed' ? suites.get(keyOf(test, name)) : undefined;
    if (!stopped) continue;
    hooks.add(test);
    for (const one of stopped) blamed.set(one, stoppedBy(test, one));
  }
  return hooks.size === 0 ? tests : tests.flatMap((test) => (hooks.has(test) ? [] : (blamed.get(test) ?? test)));
}

const keyOf = ({ spec }: FoundTest, suite: string): string => JSON.stringify([spec, suite]);

function append(suites: Map<string, FoundTest[]>, key: string, test: FoundTest): void {
  const known = suites.get(key);
  if (known) known.push(test);
  else suites.set(key, [test]);
}

function stoppedBy(hook: FoundTest, test: FoundTest): FoundTest {
  const errors = hook.attempts.at(-1)?.errors ?? [];
  return {
    ...test,
    outcome: 'skipped',
    expectedStatus: 'passed',
    attempts: test.attempts.map((attempt) => ({ ...attempt, state: 'skipped', errors })),
  };
}
