import { describe, expect, test } from 'vitest';
import { ATTACKS } from '#test/harness/attack-classes.ts';
import { readCountedAttacks, readSecurity, withAttacks } from './attack-table.ts';
import { listAttackingFiles } from './attacking-files.ts';

describe('The table of attacks in SECURITY.md', () => {
  test('The table has exactly the numbers that the tests counted when npm run attacks ran last', async () => {
    const text = await readSecurity();
    expect(text, 'Run `npm run attacks`').toBe(withAttacks(text, await readCountedAttacks()));
  });

  test('The tests that are counted are exactly those that attack, and each class has a test', async () => {
    const counted = Object.entries(await readCountedAttacks()).map(([file, counts]) => ({
      file,
      classes: Object.keys(counts).sort(),
    }));
    const files = await listAttackingFiles();
    const byName = (all: typeof files) => all.toSorted((one, other) => (one.file < other.file ? -1 : 1));
    expect(byName(counted), 'Run `npm run attacks`').toEqual(byName(files));
    expect(new Set(files.flatMap(({ classes }) => classes))).toEqual(new Set(Object.keys(ATTACKS)));
  });

  test('A number that is edited by hand is noticed', async () => {
    const text = await readSecurity();
    const edited = text.replace(/(?<=<!-- attacks -->[\s\S]+?\| )\d/, '0');
    expect(edited).not.toBe(text);
    expect(withAttacks(edited, await readCountedAttacks())).toBe(text);
  });
});
