/** Repeats what a version of Vitest said about a sample suite: `node replay.mjs <package> <recorded>`. */
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
  moduleId: join(root, 'suite.spec.ts'),
  project,
  children: { allTests: () => tests, allSuites: () => [] },
  errors: () => [],
};
for (const { result, diagnostic, attempts, artifacts, ...test } of recorded) {
  const ofNewer = {
    ...(attempts === undefined ? {} : { attempts: () => attempts }),
    ...(artifacts === undefined ? {} : { artifacts: () => artifacts }),
  };
  const calls = { result: () => result, diagnostic: () => diagnostic, meta: () => ({}), ...ofNewer };
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
