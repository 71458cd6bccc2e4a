/**
 * Counts the attacks that tests make. `npm run attacks` runs these tests, stores the counts and writes them into
 * SECURITY.md. Whenever a whole file has run, its counts are compared with the stored ones.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect, type TestContext } from 'vitest';
import { ATTACKS_FILE, type AttackClass, COUNTED_ATTACKS, CountedAttacks } from './attack-classes.ts';
import { IS_DEEP } from './cases.ts';
import { PROJECT } from './sources.ts';

const counted: Partial<Record<AttackClass, number>> = {};

/** Call this for each attack that a test makes, or once for several. */
export function attack(name: AttackClass, times = 1): void {
  counted[name] = (counted[name] ?? 0) + times;
}

type Ran = Parameters<Parameters<typeof afterAll>[0]>[1];

/** Whether no test was left out, for example by `-t` or because there is no browser. */
const isWhole = (task: Ran | TestContext['task']): boolean =>
  task.type === 'suite' ? task.tasks.every(isWhole) : task.result?.state === 'pass';

// biome-ignore lint/correctness/noEmptyPattern: Vitest requires a destructured context
afterAll(({}, file) => {
  if (IS_DEEP || !isWhole(file)) return;
  const name = relative(PROJECT, expect.getState().testPath ?? '');
  const place = process.env[ATTACKS_FILE];
  if (place !== undefined) return appendFileSync(place, `${JSON.stringify([name, counted])}\n`);
  const stored = CountedAttacks.parse(JSON.parse(readFileSync(COUNTED_ATTACKS, 'utf8')))[name];
  expect(stored, 'SECURITY.md has other numbers of attacks. Run `npm run attacks`').toEqual(counted);
});
