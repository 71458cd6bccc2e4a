/**
 * Rules that JSON Schema cannot express. If a request matches the schemas but is refused, a description in the document
 * must explain the refusal.
 */
import type { DescribedOperation } from './document.ts';
import { valueAt } from './document.ts';

interface Explanation {
  readonly refusal: RegExp;
  /** Words that must occur in the document: anywhere in the operation, or in `info` or `tags`. */
  readonly words: string;
}

const EXPLANATIONS: readonly Explanation[] = [
  { refusal: /must have at (least|most) \d+ characters?$/, words: 'UTF-16' },
  { refusal: /^The request body has a reserved member/, words: 'No member may be named `__proto__`' },
  { refusal: /contradicts the other ids of this request/, words: 'The ids of one request belong together' },
  { refusal: /^Invalid cursor/, words: 'Cursor of an item' },
  { refusal: /^`starting_after` and `ending_before` are mutually exclusive/, words: 'Not together with' },
  { refusal: /^`annotations` must be a JSON array/, words: 'JSON array of {type, description?}' },
  { refusal: /^`metric_settings` must be a JSON object/, words: 'JSON object: the outcomes' },
  { refusal: /^`title` is given more than once/, words: 'Not together with its alias `test`' },
  { refusal: /is longer than 31 days/, words: '`1h`: at most 31 days' },
  { refusal: /is longer than 400 days/, words: 'at most 400 days after it' },
  { refusal: /^`matcher\.cond|; `matcher\.cond|is required with `/, words: 'a value that fits its type and operator' },
  {
    refusal: /Invalid discriminator value|must have each `op` at most once|^`action` must have at most/,
    words: 'Each element of `action` has an `op`',
  },
  { refusal: /`expiresAfter` must be in the future/, words: '`expiresAfter` is in the future' },
  { refusal: /Accepted formats: /, words: 'Send the file as the body' },
  { refusal: /must be a number$/, words: 'The number of the' },
  {
    refusal: /^The request names no run\. Send `ciBuildId`, or/,
    words: 'Send `ciBuildId`, or `branch` and/or `tags[]`',
  },
  { refusal: /must have `ciBuildId` or `runId`/, words: 'Send `ciBuildId` or `runId`' },
  { refusal: /^`(attempt|test_id|run_id)` /, words: 'Send one of three shapes' },
  { refusal: /^The URL /, words: 'a public https URL' },
  {
    refusal: /^The headers? |is not a valid header name|^There are more than \d+ headers/,
    words: 'A JSON object as text',
  },
  { refusal: /^`page` needs `verdict`/, words: 'Needs `verdict`' },
  { refusal: /^The CI system is unknown/, words: 'Default: derived from the CI job' },
  { refusal: /changes nothing/, words: 'Send at least one.' },
  { refusal: /^`date_start` is after `date_end`/, words: 'Not before `date_start`' },
  { refusal: /^`date_start` is after `date_end`/, words: 'must not precede `date_start`' },
  { refusal: /^`date_start` is after `date_end`/, words: 'End of the range, not before `date_start`' },
  { refusal: /^Jira requires an issue type/, words: 'Jira requires it' },
  { refusal: /^`includeContextInComment: false` requires/, words: '`false` requires `comment`' },
  { refusal: /^The request names no run\. Send `runId`/, words: 'may name the run instead' },
  { refusal: /must be one line of 1 to \d+ characters$/, words: 'One line of text' },
  { refusal: /must not contain control characters or characters that/, words: 'without characters that change its' },
  { refusal: /^The tag ".*" has a comma/, words: 'without commas' },
  { refusal: /must not be longer than that of results/, words: 'cannot be kept longer than results' },
  { refusal: /^`attempt` selects an attempt/, words: 'Attempt of the test' },
];

/** Returns the words of the document that explain the error, or `undefined` if the document does not explain it. */
export function explanationOf(document: object, operation: DescribedOperation, error: string): string | undefined {
  const described = JSON.stringify([
    valueAt(document, operation.pointer),
    valueAt(document, '/info'),
    valueAt(document, '/tags'),
  ]);
  return EXPLANATIONS.find(({ refusal, words }) => refusal.test(error) && described.includes(words))?.words;
}
