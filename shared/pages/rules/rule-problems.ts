/** §4.4.11 What is wrong with a refused rule, in the words of its form instead of those of the API. */
import type { FieldProblem } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';

type Issue = RefusedForm['issues'][number];

/** Fields by the member of the API that they become. */
const FIELDS: Readonly<Record<string, readonly [name: string, label: string]>> = {
  name: ['name', 'Name'],
  description: ['description', 'Description'],
  expiresAfter: ['expires', 'Expires'],
};

export function listRuleProblems(refused: RefusedForm | undefined): FieldProblem[] {
  if (!refused) return [];
  if (refused.about.includes('expiresAfter') && refused.issues.length === 0)
    return [{ name: 'expires', text: 'Expires must be in the future' }];
  return refused.issues.map(describeIssue);
}

function describeIssue({ path, message }: Issue): FieldProblem {
  const [member, ...below] = path;
  const text = message.replaceAll('`', '');
  if (member === 'action' && below.includes('tags')) return { name: 'tags', text: describeTags(below, text) };
  if (member === 'action') return { name: 'action', text: 'Choose what happens to matching tests' };
  if (member === 'matcher') {
    const index = below.find((part) => typeof part === 'number');
    if (index === undefined) return { name: 'value_1', text: 'Condition 1 needs a value' };
    return { name: `value_${index + 1}`, text: `Condition ${index + 1} ${text}` };
  }
  const [name, label] = FIELDS[String(member)] ?? [undefined, 'The rule'];
  return { name, text: `${label} ${text}` };
}

const describeTags = (below: readonly PropertyKey[], text: string): string =>
  below.at(-1) === 'tags' && text.includes('at least') ? 'Tags: enter at least one tag' : `Tags: a tag ${text}`;
