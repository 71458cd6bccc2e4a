/** Finds the test files that a change reaches. In doubt, a test file counts as reached. */
import { basename } from 'node:path';
import { type Imports, listReached, type Source } from '#test/harness/sources.ts';

/** This file calls functions over HTTP, which imports do not show. The functions themselves are noted. */
const SERVICE = 'test/harness/service.ts';
/** Programs and services of their own run code that neither imports nor notes show. */
const RUNS_ANYTHING =
  /\b(startService|findAssembly|findPackages|assemblyWith|readOpenApi|loadFunctions)\(|'node:(child_process|worker_threads)'/;
/** These declare or note the calls themselves. */
const OWN_CALLS = [SERVICE, 'test/harness/stage.ts', 'test/harness/assemblies.ts'];
/** A change of these files may change the result of any test. */
const CHANGES_EVERYTHING =
  /^(package(-lock)?|tsconfig)\.json$|^\.npmrc$|^test\/(vitest\.config|harness\/(global-setup|maker-thread|assemblies|own-modules|seeds))\.ts$|^infra\/(local|build)\//;
const IS_CODE = /\.(tsx?|mjs)$/;

interface Tests {
  readonly sources: readonly Source[];
  /** The names of the bundles whose functions each test file called in its last run, if it has run. */
  readonly calls: ReadonlyMap<string, readonly string[]>;
}

/** `changed`: paths from the project's root, also of files that were deleted. */
export function findReachedTests(changed: readonly string[], { sources, calls }: Tests): string[] {
  const tests = sources.map(({ file }) => file).filter((file) => /\.test\.tsx?$/.test(file));
  if (changed.some((file) => CHANGES_EVERYTHING.test(file))) return tests;
  const imports: Imports = new Map(sources.map((source) => [source.file, source.imports]));
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const functions = sources.map(({ file }) => file).filter((file) => file.startsWith('functions/'));
  const code = changed.filter((file) => IS_CODE.test(file));
  const others = changed.filter((file) => !IS_CODE.test(file));
  const isProduct = (file: string) => /^(functions|shared|infra)\//.test(file);

  return tests.filter((test) => {
    const own = listReached([test], imports, (file) => file !== SERVICE);
    const usesService = own.has(SERVICE);
    const helpers = usesService ? listReached([SERVICE], imports) : [];
    const all = new Set([...own, ...helpers]);
    if (changed.some((file) => all.has(file))) return true;
    // The test reads a file that is not code, or lists the files of a folder.
    if (others.some((file) => mentions([...own], texts, file))) return true;
    const ofTest = [...own].filter((file) => file.startsWith('test/') && !OWN_CALLS.includes(file));
    if (ofTest.some((file) => RUNS_ANYTHING.test(texts.get(file) ?? ''))) return changed.some(isProduct);
    if (!usesService) return false;
    // Style sheets, scripts and guides are built into bundles.
    if (others.some(isProduct)) return true;
    const names = calls.get(test);
    if (names === undefined) return changed.some(isProduct);
    const called = listCalledFiles(functions, names);
    const reached = listReached([...called, 'functions/authorizer.ts'], imports);
    return code.some((file) => reached.has(file));
  });
}

/** A bundle has the name of its file, or serves pages, which may be of any subject. */
function listCalledFiles(functions: readonly string[], names: readonly string[]): string[] {
  const nameOf = (file: string) => basename(file).replace(/\.tsx?$/, '');
  const isPage = (file: string) => file.startsWith('functions/pages/');
  const others = new Set(functions.filter((file) => !isPage(file)).map(nameOf));
  const callsPages = names.some((name) => !others.has(name));
  return functions.filter((file) => (isPage(file) ? callsPages : names.includes(nameOf(file))));
}

const mentions = (files: readonly string[], texts: ReadonlyMap<string, string>, changed: string): boolean =>
  files.some((file) => file.startsWith('test/') && texts.get(file)?.includes(basename(changed)));
