/** Repeats what a version of Vitest said about the sample suite: `node replay.mjs <package> <recorded>`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, file] = process.argv.slice(2);
const root = process.cwd();
const { version, tests: recorded, reason } = JSON.parse(readFileSync(file, 'utf8').replaceAll('/project', root));
const config = { root, setupFiles: [], watch: false };
const vitest = { version, config };
const project = { name: '', config, vitest };
vitest.projects = [project];
const tests = [];
const module = {
  id: 'module',
  type: 'module',
  moduleId: join(root, 'fails.spec.ts'),
  project,
  children: { allTests: () => tests, allSuites: () => [] },
  errors: () => [],
};
for (const { result, diagnostic, attempts, ...test } of recorded) {
  const told = attempts === undefined ? {} : { attempts: () => attempts };
  const calls = { result: () => result, diagnostic: () => diagnostic, meta: () => ({}), ...told };
  tests.push({ ...test, ...calls, type: 'test', parent: module, module, project });
}
const { default: Reporter } = await import(pathToFileURL(join(folder, 'vitest.js')));
const reporter = new Reporter();
reporter.onInit(vitest);
await reporter.onTestRunStart([{ project }]);
reporter.onTestModuleCollected(module);
for (const test of tests) reporter.onTestCaseResult(test);
reporter.onTestModuleEnd(module);
await reporter.onTestRunEnd([module], [], reason);
