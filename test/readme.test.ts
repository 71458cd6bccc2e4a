/** What the README promises can be looked up: its links lead somewhere, and each decision names a test that there is. */
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const PROJECT = join(import.meta.dirname, '..');

let readme: string;
let tests: string;

beforeAll(async () => {
  readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
  const names = await readdir(import.meta.dirname, { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts') && name !== 'readme.test.ts');
  const texts = await Promise.all(files.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
  tests = texts.join('\n');
});

/** Rows of the table under a heading, as cells. */
const tableUnder = (heading: string): string[][] => {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
};

describe('README', () => {
  test('every link into the project leads to a file', async () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('://'));
    const missing: string[] = [];
    for (const path of links) await access(join(PROJECT, path)).catch(() => missing.push(path));
    expect(links.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  test('every decision names a test that would fail if it were reversed', () => {
    const decisions = tableUnder('Decisions');
    const unheld = decisions.filter(([, , name = '']) => !name || !tests.includes(name)).map(([decision]) => decision);
    expect(decisions.length).toBeGreaterThan(20);
    expect(unheld).toEqual([]);
  });
});
