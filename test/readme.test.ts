/**
 * Checks the Markdown documents: relative links lead to existing files, and each row of a decision table and
 * each page about a decision name existing tests.
 */
import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const PROJECT = join(import.meta.dirname, '..');
const FOLDERS = ['functions', 'infra', 'shared', 'test'];
const AT_THE_TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

interface Document {
  /** The path of the document, relative to the project. */
  readonly file: string;
  readonly text: string;
}

let documents: Document[];
let tests: readonly Document[];

beforeAll(async () => {
  const files = await filesIn(FOLDERS);
  const markdown = files.filter((file) => file.endsWith('.md') && !file.startsWith('test/samples/'));
  documents = await Promise.all([...AT_THE_TOP, ...markdown].map(document));
  const sources = files.filter((file) => /\.test\.tsx?$/.test(file) && file !== 'test/readme.test.ts');
  tests = await Promise.all(sources.map(document));
});

/** Documents name a test by its title, or by the title of its `describe` and its own, as one sentence. */
const isTest = (name: string): boolean =>
  name !== '' &&
  tests.some(
    ({ text }) => text.includes(name) || subjectsIn(text).some((subject) => hasTestAbout(text, subject, name)),
  );

const subjectsIn = (text: string): string[] =>
  [...text.matchAll(/\bdescribe(?:\.\w+\([\s\S]*?\))?\(\s*['`](.+?)['`],/g)].map(([, subject = '']) => subject);

const hasTestAbout = (text: string, subject: string, name: string): boolean =>
  name.toLowerCase().startsWith(`${subject.toLowerCase()} `) &&
  ["'", '"', '`'].some((quote) => text.includes(quote + name.slice(subject.length + 1) + quote));

async function filesIn(folders: readonly string[]): Promise<string[]> {
  const all = folders.map(async (folder) => {
    const names = await readdir(join(PROJECT, folder), { recursive: true });
    return names.map((name) => `${folder}/${name}`);
  });
  return (await Promise.all(all)).flat();
}

const document = async (file: string): Promise<Document> => ({
  file,
  text: await readFile(join(PROJECT, file), 'utf8'),
});

/** The rows of the decision tables in a document, split into cells. */
function decisionsOf({ text }: Document): string[][] {
  const section = text.split('\n## Decisions\n')[1]?.split('\n## ')[0] ?? '';
  const tables = section.split('| Decision | Why | Test |').slice(1);
  const rows = tables
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
}

/** The tests and the lines of the benchmark that a page of `shared/decisions` names under *Confirmation*. */
function confirmationOf({ text }: Document): { tests: string[]; lines: string[] } {
  const [tests, lines] = (text.split('\n## Confirmation\n')[1] ?? '')
    .split(/^Lines? of `npm run bench`:$/m)
    .map(itemsIn);
  return { tests: tests ?? [], lines: lines ?? [] };
}

const itemsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice(2));

describe('documents:', () => {
  test('every relative link points to an existing file', async () => {
    const missing: string[] = [];
    for (const { file, text } of documents) {
      for (const [, path = ''] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (path.includes('://')) continue;
        await access(join(PROJECT, dirname(file), path)).catch(() => missing.push(`${file}: ${path}`));
      }
    }
    expect(missing).toEqual([]);
  });

  test('every row of a decision table names an existing test', () => {
    const decisions = documents.flatMap((one) => decisionsOf(one).map((cells) => ({ file: one.file, cells })));
    const unheld = decisions.filter(({ cells: [, , name = ''] }) => !isTest(name));
    expect(decisions.length).toBeGreaterThan(100);
    expect(unheld.map(({ file, cells: [decision] }) => `${file}: ${decision}`)).toEqual([]);
  });

  test('every page about a decision names existing tests and existing lines of the benchmark', () => {
    const bench = documents.find(({ file }) => file === 'test/tools/bench/README.md')?.text ?? '';
    const pages = documents.filter(({ file }) => file.startsWith('shared/decisions/'));
    const confirmations = pages.map((page) => ({ file: page.file, ...confirmationOf(page) }));
    const unheld = confirmations.flatMap(({ file, tests: names, lines }) => [
      ...names.filter((name) => !isTest(name)).map((name) => `${file}: ${name}`),
      ...lines.filter((line) => !bench.includes(`\n| ${line} | `)).map((line) => `${file}: ${line}`),
    ]);
    expect(pages.length).toBeGreaterThanOrEqual(10);
    expect(confirmations.filter(({ tests: names }) => names.length === 0).map(({ file }) => file)).toEqual([]);
    expect(unheld).toEqual([]);
  });
});
