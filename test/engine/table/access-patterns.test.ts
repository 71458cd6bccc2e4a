import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type DeclaredKind, deriveKeyPatterns, formatKeyPattern } from '#infra/build/key-patterns.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const ROWS = 'shared/model';

const isEntity = (value: unknown): value is DeclaredKind =>
  typeof value === 'object' && value !== null && 'patterns' in value && 'type' in value;

/** The declared access patterns as rows of the Markdown table, ordered by file. */
async function declaredRows(): Promise<string[]> {
  const files = (await readdir(join(PROJECT, ROWS), { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const rows = files.map(async (file) => {
    const module: object = await import(pathToFileURL(join(PROJECT, ROWS, file)).href);
    const link = `[${file}](${file})`;
    return Object.entries(module)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, exported]) => exported)
      .filter(isEntity)
      .flatMap((kind) =>
        deriveKeyPatterns(kind).map(
          (pattern) => `| ${pattern.question} | ${kind.type} | ${formatKeyPattern(pattern)} | ${link} |`,
        ),
      );
  });
  return (await Promise.all(rows)).flat();
}

test('the table of access patterns in shared/model/README.md lists exactly the patterns that the entities declare', async () => {
  const readme = await readFile(join(PROJECT, ROWS, 'README.md'), 'utf8');
  const section = readme.split('\n## Access patterns\n')[1]?.split('\n## ')[0] ?? '';
  const [header, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const declared = await declaredRows();
  expect(header).toBe('| Question | Entity | Key | File |');
  expect(declared.length).toBeGreaterThan(10);
  expect(rows, `Paste these rows under "## Access patterns":\n${declared.join('\n')}`).toEqual(declared);
});

test('no two access patterns answer the same question', async () => {
  const questions = (await declaredRows()).map((row) => row.split(' | ')[0]);
  expect(new Set(questions).size).toBe(questions.length);
});
