/** A reporter for Vitest that writes what Vitest says about each test into a file, so that `npm test` can repeat it. */
import { writeFileSync } from 'node:fs';

export default class {
  #tests = [];
  #vitest;

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onTestCaseResult(test) {
    const { id, name, options } = test;
    const plain = (_name, value) =>
      typeof value === 'string' ? value.replaceAll(this.#vitest.config.root, '/project').replaceAll(FRAMES, '') : value;
    const all = {
      id,
      name,
      options,
      result: test.result(),
      diagnostic: test.diagnostic(),
      attempts: test.attempts?.(),
      artifacts: artifactsOf(test),
    };
    this.#tests.push(JSON.parse(JSON.stringify(all, plain)));
  }

  onTestRunEnd(_modules, _errors, reason) {
    const recorded = { version: this.#vitest.version, tests: this.#tests, reason };
    writeFileSync(process.env.RECORDED, `${JSON.stringify(recorded, null, 2)}\n`);
  }
}

/** The traces of browsers would be large. */
const artifactsOf = (test) => test.artifacts?.().filter(({ type }) => type !== 'internal:browserTrace');

/** Frames of Vitest and Node differ from version to version, and say nothing about the tests. */
const FRAMES = /\n\s+at [^\n]*(?:node_modules|node:)[^\n]*/g;
