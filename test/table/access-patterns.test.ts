import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Entity } from '#shared/table/entity.ts';

const PROJECT = join(import.meta.dirname, '../..');
const RESOURCES = 'shared/resources';

type Declared = Pick<Entity<object, object>, 'type' | 'patterns'>;

const isEntity = (value: unknown): value is Declared =>
  typeof value === 'object' && value !== null && 'patterns' in value && 'type' in value;

/** The rows as the entities declare them, in the order of their files. */
async function declaredRows(): Promise<string[]> {
  const files = (await readdir(join(PROJECT, RESOURCES))).sort();
  const rows = files.map(async (file) => {
    const module: object = await import(pathToFileURL(join(PROJECT, RESOURCES, file)).href);
    const link = `[${file}](${RESOURCES}/${file})`;
    return Object.entries(module)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, exported]) => exported)
      .filter(isEntity)
      .flatMap(({ type, patterns }) =>
        patterns.map(({ question, key }) => `| ${question} | ${type} | ${key} | ${link} |`),
      );
  });
  return (await Promise.all(rows)).flat();
}

test('the README’s chart of access patterns has a row for each pattern that an entity declares, and no other', async () => {
  const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
  const section = readme.split('\n## Access patterns\n')[1]?.split('\n## ')[0] ?? '';
  const [header, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const declared = await declaredRows();
  expect(header).toBe('| Question | Entity | Key | File |');
  expect(declared.length).toBeGreaterThan(10);
  expect(rows, `The rows to paste under "## Access patterns":\n${declared.join('\n')}`).toEqual(declared);
});

test('no two patterns ask the same question', async () => {
  const questions = (await declaredRows()).map((row) => row.split(' | ')[0]);
  expect(new Set(questions).size).toBe(questions.length);
});
