/** A reporter for Jest that writes each call of Jest into a file, so that `npm test` can repeat it without Jest. */
const { appendFileSync } = require('node:fs');

const CALLS = [
  'onRunStart',
  'onTestFileStart',
  'onTestCaseStart',
  'onTestCaseResult',
  'onTestFileResult',
  'onRunComplete',
];

const without = (value, names) => Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** Errors have members that JSON does not show. */
const plain = (_name, value) =>
  value instanceof Error || value instanceof String ? { message: value.message, stack: value.stack } : value;

/** Leaves out what no reporter reads, and what differs from machine to machine. */
function argumentOf(call, value, index) {
  if (call === 'onRunStart' && index === 0) return { numTotalTestSuites: value.numTotalTestSuites };
  if (call === 'onRunStart' || (call === 'onRunComplete' && index === 0)) return null;
  if (index === 0) return { path: value.path, context: { config: { displayName: value.context.config.displayName } } };
  if (call === 'onRunComplete') return without(value, ['testResults', 'snapshot']);
  if (call === 'onTestFileResult') {
    const testResults = value.testResults.map((test) => without(test, ['failureDetails', 'retryMessages']));
    return { ...without(value, ['snapshot', 'perfStats', 'coverage', 'v8Coverage', 'failureMessage']), testResults };
  }
  return without(value, ['failureDetails', 'retryMessages']);
}

module.exports = class {
  constructor(config, { file }) {
    for (const call of CALLS)
      this[call] = (...args) => {
        const sent = args.slice(0, 2).map((value, index) => argumentOf(call, value, index));
        const text = JSON.stringify([call, ...sent], plain)
          .replaceAll(config.rootDir, '/project')
          // Frames of Jest and Node differ from version to version, and say nothing about the tests.
          .replaceAll(/\\n\s+at (?![^\\"]*\/project\/[\w.-]+:\d)[^\\"]*/g, '')
          .replaceAll(/\\n\s+at [^\\"]*node_modules[^\\"]*/g, '');
        appendFileSync(file, `${text}\n`);
      };
  }
};
