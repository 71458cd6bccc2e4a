/**
 * The marks that show which rules matched a test. The published reporter sends them as annotations of the test. A
 * client can send any annotation, so a mark that names a rule of another project must not be trusted.
 */
import * as z from 'zod';
import { parsedJson } from '#shared/engine/json.ts';
import { projectOfDatedId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Annotation } from './attempt.ts';
import { MATCH_TYPE, OF_REPORTERS, RULE_OPERATIONS, type RuleOperation, typeOfApplied } from './rule-annotations.ts';

export interface RuleMark {
  readonly actionId: string;
  readonly type: RuleOperation;
}

/** An annotation in a response. A description that is null is left out. */
export type ShownAnnotation = Pick<Annotation, 'type'> & { readonly description?: string | null | undefined };

export const isOfReporter = ({ type }: Pick<Annotation, 'type'>): boolean => type.startsWith(OF_REPORTERS);

const APPLIED_TYPES: ReadonlyMap<string, RuleOperation> = new Map(
  RULE_OPERATIONS.map((operation) => [typeOfApplied(operation), operation]),
);

const Described = z.object({ rule: z.object({ id: z.string(), type: z.enum(RULE_OPERATIONS).optional() }) });

/** The rules that matched the test, at most `rulesPerTest`, without duplicate pairs of rule and operation. */
export function ruleMarksOf(annotations: readonly ShownAnnotation[]): RuleMark[] {
  const marks = new Map<string, RuleMark>();
  for (const annotation of annotations) {
    const mark = markOf(annotation);
    if (mark && marks.size < MODEL_LIMITS.rulesPerTest) marks.set(`${mark.type} ${mark.actionId}`, mark);
  }
  return [...marks.values()];
}

function markOf({ type, description }: ShownAnnotation): RuleMark | undefined {
  if (type !== MATCH_TYPE && !APPLIED_TYPES.has(type)) return undefined;
  const found = Described.safeParse(parsedJson(description ?? ''));
  if (!found.success || projectOfDatedId(found.data.rule.id) === undefined) return undefined;
  const operation = APPLIED_TYPES.get(type) ?? found.data.rule.type;
  return operation && { actionId: found.data.rule.id, type: operation };
}

/**
 * The annotation that the read model stores for a mark. Unlike the annotation of the published reporter, it contains no
 * time, so it is the same for each execution.
 */
export const shortMark = ({ actionId, type }: RuleMark): Annotation => ({
  type: MATCH_TYPE,
  description: `${type} ${actionId}`,
});

/** The inverse of `shortMark`. */
export function markIn({ type, description }: Annotation): RuleMark | undefined {
  if (type !== MATCH_TYPE) return undefined;
  const [name, actionId = ''] = description?.split(' ') ?? [];
  const operation = RULE_OPERATIONS.find((one) => one === name);
  return operation && { actionId, type: operation };
}
