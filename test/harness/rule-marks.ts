/** Creates the annotations that the published reporter adds to tests that a rule matched. */

type Operation = 'skip' | 'quarantine' | 'tag';
interface Marking {
  readonly actionId: string;
  readonly type: Operation;
  /** Whether the rule changed the test, rather than only matching it. */
  readonly applied?: boolean;
}

let marked = 0;

/** Returns one annotation. Each annotation has its own timestamp, as in real runs. */
function mark(annotation: string, { actionId, type }: Marking) {
  marked += 1;
  const rule = { v: 1, id: actionId, name: 'A "rule"', type, appliedAt: Date.now() + marked };
  const testInfo = { config: { version: '1.65.1' }, testId: 'a-b' };
  return { type: `_currents:${annotation}`, description: JSON.stringify({ rule, testInfo }) };
}

export const marksOf = (...all: readonly Marking[]) =>
  all.flatMap((one) => [
    mark('action:match', one),
    ...(one.applied ? [mark(`rule:${one.type}`, one), { type: one.type === 'tag' ? 'note' : 'skip' }] : []),
  ]);
