/** The layout and the directions that CONTRIBUTING describes, held by reading every import. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const PROJECT = join(import.meta.dirname, '..');
const FOLDERS = ['functions', 'infra', 'shared', 'test'];

interface Source {
  readonly file: string;
  readonly text: string;
  /** Files of the project as paths from its root, packages by name. */
  readonly imports: readonly string[];
}

let sources: Source[];

beforeAll(async () => {
  const files = await Promise.all(FOLDERS.map((folder) => readdir(join(PROJECT, folder), { recursive: true })));
  const paths = files.flatMap((names, index) => names.map((name) => `${FOLDERS[index]}/${name.replaceAll('\\', '/')}`));
  const code = paths.filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes('playwright-sample'));
  sources = await Promise.all(
    code.map(async (file) => {
      const text = await readFile(join(PROJECT, file), 'utf8');
      return { file, text, imports: importsOf(file, text) };
    }),
  );
});

function importsOf(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => {
    if (specifier.startsWith('#')) return specifier.slice(1);
    return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  });
}

/** `file -> import` for every import of a file of `from` that is one of `what`, but for the exceptions. */
const imports = (from: RegExp, what: RegExp, except: RegExp = /^$/): string[] =>
  sources
    .filter(({ file }) => from.test(file) && !except.test(file))
    .flatMap(({ file, imports: all }) => all.filter((path) => what.test(path)).map((path) => `${file} -> ${path}`));

const uses = (from: RegExp, what: RegExp, except: RegExp): string[] =>
  sources.filter(({ file, text }) => from.test(file) && !except.test(file) && what.test(text)).map(({ file }) => file);

describe('Directions', () => {
  test('functions import shared and packages, never infra, tests or each other', () => {
    expect(imports(/^functions\//, /^(functions|infra|test)\//)).toEqual([]);
  });

  test('shared imports neither functions, infra nor tests', () => {
    expect(imports(/^shared\//, /^(functions|infra|test)\//)).toEqual([]);
  });

  test('what is deployed and what deploys it import no tests', () => {
    expect(imports(/^(infra|functions|shared)\//, /^test\//)).toEqual([]);
  });

  test('engines know no run and no test', () => {
    const rules = /^shared\/(resources|results|recording|credentials|organizations|webhooks|events)\//;
    expect(imports(/^shared\/(http|table)\//, rules)).toEqual([]);
  });

  test('resources are shapes and keys: they import no rule that works on them', () => {
    expect(
      imports(/^shared\/resources\//, /^shared\/(results|recording|credentials|organizations|webhooks|events)\//),
    ).toEqual([]);
  });

  test('recording builds on results, never the other way', () => {
    expect(imports(/^shared\/results\//, /^shared\/recording\//)).toEqual([]);
  });

  test('rules know no endpoint machinery', () => {
    const machinery = /^shared\/(endpoint|consumer|schedule|stream|request|declaration|envelope|log)\.ts$/;
    expect(
      imports(
        /^shared\/(resources|results|recording|credentials|organizations|webhooks|events|outbound|http|table)\//,
        machinery,
      ),
    ).toEqual([]);
  });
});

describe('One place', () => {
  test('only the endpoint engine imports middy', () => {
    expect(imports(/^(shared|functions)\//, /^@middy\//, /^shared\/endpoint\.ts$/)).toEqual([]);
  });

  test('only the table, the artifacts, what leaves the service and the services import the AWS SDK', () => {
    const homes = /^shared\/(table\/|outbound\/|services\.ts|artifacts\.ts)/;
    expect(imports(/^(shared|functions)\//, /^@(aws-sdk|smithy)\//, homes)).toEqual([]);
  });

  test('only infra imports the CDK', () => {
    expect(imports(/^(shared|functions)\//, /^(aws-cdk-lib|constructs)/)).toEqual([]);
  });

  test('only services.ts reads the environment or the clock', () => {
    const reads = /process\.env|Date\.now|new Date\(\)|performance\.now/;
    expect(uses(/^(shared|functions)\//, reads, /^shared\/services\.ts$/)).toEqual([]);
  });

  test('only functions declare endpoints', () => {
    expect(uses(/^shared\/(?!endpoint)/, /\bendpoint\(/, /^$/)).toEqual([]);
  });

  test('a handler has no try, no status code, no clock and no environment', () => {
    expect(uses(/^functions\/[a-z]+\//, /\btry\b|\bcatch\b|statusCode|process\.|new Date|console\./, /^$/)).toEqual([]);
  });

  test('errors are constructed in errors.ts', () => {
    expect(uses(/^(shared|functions)\//, /new ApiError\(/, /^shared\/errors\.ts$/)).toEqual([]);
  });
});

describe('Layout', () => {
  test('the top level is what the README shows', async () => {
    const visible = (await readdir(PROJECT)).filter((name) => !name.startsWith('.') && !GENERATED.has(name));
    expect(visible.sort()).toEqual(TOP_LEVEL);
  });

  test('no barrels, and no folder for what has no subject', () => {
    const homeless = /(^|\/)(index|utils?|helpers?|common|misc|manager)(\/|\.ts$)/i;
    expect(sources.map(({ file }) => file).filter((file) => homeless.test(file))).toEqual([]);
  });

  test('files are named in kebab-case', () => {
    const names = sources.map(({ file }) => basename(file));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config|d|spec))?\.(ts|mjs)$/.test(name))).toEqual(
      [],
    );
  });
});

const GENERATED = new Set(['node_modules', 'cdk.out', 'coverage', 'test-results']);
const TOP_LEVEL = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'cdk.json',
  'functions',
  'infra',
  'package-lock.json',
  'package.json',
  'shared',
  'test',
  'tsconfig.json',
];
