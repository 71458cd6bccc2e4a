/** Reads the code of the project with its imports. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../..');
const FOLDERS = ['functions', 'infra', 'shared', 'test'];

export interface Source {
  /** The path from the project's root. */
  readonly file: string;
  readonly text: string;
  /** What the file imports: files of the project as paths from the root, and packages by name. */
  readonly imports: readonly string[];
}

/** All files of code, except the suites of Playwright that tests record. */
export async function readSources(): Promise<Source[]> {
  const files = await Promise.all(FOLDERS.map((folder) => readdir(join(PROJECT, folder), { recursive: true })));
  const paths = files.flatMap((names, index) => names.map((name) => `${FOLDERS[index]}/${name.replaceAll('\\', '/')}`));
  const code = paths.filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.includes('samples/playwright'));
  return Promise.all(
    code.map(async (file) => {
      const text = await readFile(join(PROJECT, file), 'utf8');
      return { file, text, imports: readImports(file, text) };
    }),
  );
}

function readImports(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => {
    if (specifier.startsWith('#')) return specifier.slice(1);
    return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  });
}

export type Imports = ReadonlyMap<string, readonly string[]>;

/** These files, and what they import directly and transitively. `isPassed` leaves out what a file imports. */
export function listReached(
  files: Iterable<string>,
  imports: Imports,
  isPassed: (file: string) => boolean = () => true,
): Set<string> {
  const reached = new Set(files);
  // A loop over a set also visits the elements that are added during the loop.
  for (const file of reached) if (isPassed(file)) for (const imported of imports.get(file) ?? []) reached.add(imported);
  return reached;
}
