/** Shows beside a test what rules did to it, such as “quarantined”. */
import type { Html } from '#shared/engine/html/html.ts';
import type { RuleOperation } from '#shared/model/tests/rule-annotations.ts';
import { ruleMarksOf, type ShownAnnotation } from '#shared/model/tests/rule-marks.ts';

interface Props {
  readonly annotations: readonly ShownAnnotation[] | null | undefined;
}

const WORDS: Readonly<Record<RuleOperation, string>> = {
  quarantine: 'quarantined',
  skip: 'skipped by a rule',
  tag: 'tagged by a rule',
};

export const RuleMarks = ({ annotations }: Props): Html => (
  <>
    {[...new Set(ruleMarksOf(annotations ?? []).map(({ type }) => type))].map((type) => (
      <small class="soft"> {WORDS[type]}</small>
    ))}
  </>
);
