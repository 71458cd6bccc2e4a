/** The test files that count attacks, and the classes that they name. */
import { readSources } from '#test/harness/sources.ts';

const CALL = /\battack\('([^']+)'/g;

export async function listAttackingFiles(): Promise<{ readonly file: string; readonly classes: readonly string[] }[]> {
  const sources = (await readSources()).filter(({ file }) => file.endsWith('.test.ts') || file.endsWith('.test.tsx'));
  return sources.flatMap(({ file, text }) => {
    const classes = [...new Set([...text.matchAll(CALL)].map(([, name = '']) => name))].sort();
    return classes.length === 0 ? [] : [{ file, classes }];
  });
}
