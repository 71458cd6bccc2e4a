/** Checks the layout, the imports and other rules of the code, such as those of CONTRIBUTING.md, in the source text. */
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listReached, PROJECT, readSources, type Source } from './harness/sources.ts';
import { folderOf, MAY_IMPORT, TEST_FOLDERS } from './layers.ts';

let sources: Source[];

const folders = (): string[] => [...new Set(sources.map(({ file }) => folderOf(file)))];

beforeAll(async () => {
  sources = await readSources();
});

/** Lists the imports from files matching `from` to paths matching `what`, except in files matching `except`. */
const imports = (from: RegExp, what: RegExp, except: RegExp = /^$/): string[] =>
  sources
    .filter(({ file }) => from.test(file) && !except.test(file))
    .flatMap(({ file, imports: all }) => all.filter((path) => what.test(path)).map((path) => `${file} -> ${path}`));

const uses = (from: RegExp, what: RegExp, except: RegExp): string[] =>
  sources.filter(({ file, text }) => from.test(file) && !except.test(file) && what.test(text)).map(({ file }) => file);

describe('import directions:', () => {
  test('test/layers.ts lists every folder of code except data folders, and no folder that does not exist', () => {
    const known = (folder: string) =>
      MAY_IMPORT.has(folder) || TEST_FOLDERS.includes(folder) || DATA_FOLDERS.some((data) => data.test(folder));
    expect(folders().filter((folder) => !known(folder))).toEqual([]);
    expect([...MAY_IMPORT.keys(), ...TEST_FOLDERS].filter((folder) => !folders().includes(folder))).toEqual([]);
  });

  test('each folder imports only the folders that its layer allows', () => {
    const upward = sources.flatMap(({ file, imports: all }) => {
      const allowed = MAY_IMPORT.get(folderOf(file));
      const own = all.filter((path) => PROJECT_FILE.test(path) && folderOf(path) !== folderOf(file));
      return own.filter((path) => allowed && !allowed.includes(folderOf(path))).map((path) => `${file} -> ${path}`);
    });
    expect(upward).toEqual([]);
  });

  test('the allowed imports between folders contain no cycle', () => {
    expect(circleIn(MAY_IMPORT)).toEqual([]);
  });

  test('the imports between files contain no cycle', () => {
    expect(circleIn(new Map(sources.map(({ file, imports: all }) => [file, all])))).toEqual([]);
  });
});

/** Repeatedly removes nodes without outgoing edges. Each node that remains is part of a cycle or leads to one. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  let left = new Map([...graph].map(([node, next]) => [node, next.filter((to) => to !== node)]));
  for (;;) {
    const free = [...left].filter(([, next]) => !next.some((to) => left.has(to))).map(([node]) => node);
    if (free.length === 0) return [...left.keys()];
    left = new Map([...left].filter(([node]) => !free.includes(node)));
  }
}

describe('responsibilities in functions/ and shared/:', () => {
  test('only shared/ingest writes the rows of test results: records, history, failures, evidence, details and upload tallies', () => {
    const rows = '(testRecords|history|failures|evidenceParts|detailsParts|uploadTallies)';
    const write = new RegExp(`\\b(put|update|remove)\\(\\s*${rows}\\b`);
    expect(uses(/^(shared|functions)\//, write, /^shared\/ingest\//)).toEqual([]);
    expect(uses(/^shared\/ingest\//, write, /^$/).length).toBeGreaterThan(3);
  });

  test('only shared/platform/endpoint.ts imports middy', () => {
    expect(imports(/^(shared|functions)\//, /^@middy\//, /^shared\/platform\/endpoint\.ts$/)).toEqual([]);
  });

  test('only connect.ts and the table, outbox and aws folders of the engine import the AWS SDK', () => {
    const homes = /^shared\/(engine\/(table|outbox|aws)\/|platform\/connect\.ts)/;
    expect(imports(/^(shared|functions)\//, /^@(aws-sdk|smithy)\//, homes)).toEqual([]);
  });

  test('npm start does not load the CDK, except in its builder', () => {
    const graph = new Map(sources.map(({ file, imports: all }) => [file, all]));
    const reachedFiles = listReached(['infra/local/start.ts'], graph);
    expect(reachedFiles.size).toBeGreaterThan(100);
    expect([...reachedFiles].filter((file) => /^(aws-cdk-lib|constructs)/.test(file))).toEqual([]);
  });

  test('neither functions/ nor shared/ imports the CDK', () => {
    expect(imports(/^(shared|functions)\//, /^(aws-cdk-lib|constructs)/)).toEqual([]);
  });

  test('only connect.ts reads the environment or the clock', () => {
    const reads = /process\.env|Date\.now|new Date\(\)|performance\.now/;
    expect(uses(/^(shared|functions)\//, reads, /^shared\/platform\/connect\.ts$/)).toEqual([]);
  });

  test('only files in functions/ declare endpoints', () => {
    expect(uses(/^shared\/(?!platform\/endpoint)/, /\bendpoint\(/, /^$/)).toEqual([]);
  });

  test('a handler contains no try block and no status code, does not write to the console, and reads neither the clock nor the environment', () => {
    expect(uses(/^functions\/[a-z-]+\//, /\btry\b|\bcatch\b|statusCode|process\.|new Date|console\./, /^$/)).toEqual(
      [],
    );
  });

  test('domain folders declare the schemas of requests and responses only in files named *-wire.ts, except shared/sign-in/return-path.ts', () => {
    const rules = /^shared\/(?!engine|model|platform)[a-z-]+\/(?!.*-wire\.ts$)/;
    const returnPath = /^shared\/sign-in\/return-path\.ts$/;
    expect(uses(rules, /\bz\s*\.(object|enum|union|strictObject|looseObject)\(/, returnPath)).toEqual([]);
  });

  test('only the JSX runtime creates HTML from text', () => {
    expect(uses(/^(shared|functions)\//, /new Html\(/, /^shared\/engine\/html\/jsx-runtime\.ts$/)).toEqual([]);
  });

  test('API errors are constructed only in errors.ts of the engine and of each domain folder', () => {
    expect(uses(/^(shared|functions)\//, /new ApiError\(/, /^shared\/[a-z-]+\/errors\.ts$/)).toEqual([]);
  });
});

describe('reproducibility:', () => {
  test('each property test takes its number of cases from cases()', () => {
    const fixed = /numRuns: (?!cases\(|NUMBERS\b)[\dA-Z]/;
    expect(uses(/^test\//, fixed, /^test\/(architecture|harness\/seeds)\.test\.ts$/)).toEqual([]);
    const asserts = uses(/^test\/.*\.test\.ts$/, /\bfc\.assert\(/, /^test\/architecture/);
    expect(asserts.filter((file) => !sources.find((one) => one.file === file)?.text.includes('cases('))).toEqual([]);
  });

  test('random bytes and numbers in tests come from a seed', () => {
    const random = /\b(?:randomBytes|randomFill|getRandomValues)\(|Math\.random\(/;
    // The PKCE verifier of a login must be truly random, so its file is exempt. The benchmark and the deployment test
    // are exempt as well, because they are not part of `npm test`.
    expect(
      uses(/^test\//, random, /^test\/(architecture\.test|harness\/own-issuer|tools\/(bench|deploy)\/.*)\.ts$/),
    ).toEqual([]);
  });
});

describe('layout:', () => {
  test('the top level of the repository contains exactly the files and folders that this test lists, apart from hidden and generated ones', async () => {
    const visible = (await readdir(PROJECT)).filter((name) => !name.startsWith('.') && !GENERATED.has(name));
    expect(visible.sort()).toEqual(TOP_LEVEL);
  });

  test('there are no barrel files and no catch-all folders', () => {
    const homeless = /(^|\/)(index|utils?|helpers?|common|misc|manager)(\/|\.ts$)/i;
    expect(sources.map(({ file }) => file).filter((file) => homeless.test(file))).toEqual([]);
  });

  test('files are named in kebab-case', () => {
    const names = sources.map(({ file }) => basename(file));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config|d|spec))?\.(tsx?|mjs)$/.test(name))).toEqual(
      [],
    );
  });

  test('no name of a definition begins with an underscore, which would hide it from the check for unused code', () => {
    const hidden = /^\s*(?:export )?(?:const|function|let|type|interface|class) _\w/m;
    expect(sources.filter(({ text }) => hidden.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

/** Folders of recorded data and fixtures. Their code is not part of the layers. */
const DATA_FOLDERS = [/^test\/samples\//, /^test\/infra\/local\/assembly\//];
const PROJECT_FILE = /^(shared|functions|infra|test)\//;
const GENERATED = new Set(['node_modules', 'cdk.out', 'coverage', 'test-results']);
const TOP_LEVEL = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'cdk.json',
  'functions',
  'infra',
  'package-lock.json',
  'package.json',
  'shared',
  'test',
  'tsconfig.json',
];
