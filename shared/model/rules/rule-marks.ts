/**
 * The marks that show which rules matched a test. The published reporter sends them as annotations of the test. A
 * client can send any annotation, so a mark that names a rule of another project must not be trusted.
 */
import * as z from 'zod';
import { parseJson } from '#shared/engine/json.ts';
import { extractProjectId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import { getAppliedType, MATCH_TYPE, OF_REPORTERS, RULE_OPERATIONS, type RuleOperation } from './rule-annotations.ts';

export interface RuleMark {
  readonly actionId: string;
  readonly type: RuleOperation;
}

/** An annotation in a response. A description that is null is left out. */
export type ShownAnnotation = Pick<Annotation, 'type'> & { readonly description?: string | null | undefined };

export const isOfReporter = ({ type }: Pick<Annotation, 'type'>): boolean => type.startsWith(OF_REPORTERS);

const APPLIED_TYPES: ReadonlyMap<string, RuleOperation> = new Map(
  RULE_OPERATIONS.map((operation) => [getAppliedType(operation), operation]),
);

const Described = z.object({ rule: z.object({ id: z.string(), type: z.enum(RULE_OPERATIONS).optional() }) });

/** At most `rulesPerTest`, without duplicate pairs of rule and operation. */
export function parseRuleMarks(annotations: readonly ShownAnnotation[]): RuleMark[] {
  const marks = new Map<string, RuleMark>();
  for (const annotation of annotations) {
    const mark = parseMark(annotation);
    if (mark && marks.size < MODEL_LIMITS.rulesPerTest) marks.set(`${mark.type} ${mark.actionId}`, mark);
  }
  return [...marks.values()];
}

function parseMark({ type, description }: ShownAnnotation): RuleMark | undefined {
  if (type !== MATCH_TYPE && !APPLIED_TYPES.has(type)) return undefined;
  const result = Described.safeParse(parseJson(description ?? ''));
  if (!result.success || extractProjectId(result.data.rule.id) === undefined) return undefined;
  const operation = APPLIED_TYPES.get(type) ?? result.data.rule.type;
  return operation && { actionId: result.data.rule.id, type: operation };
}

/** For the read model. Unlike the published reporter's annotation, it has no time, so it is always the same. */
export const encodeMark = ({ actionId, type }: RuleMark): Annotation => ({
  type: MATCH_TYPE,
  description: `${type} ${actionId}`,
});

/** The inverse of `encodeMark`. */
export function decodeMark({ type, description }: Annotation): RuleMark | undefined {
  if (type !== MATCH_TYPE) return undefined;
  const [name, actionId = ''] = description?.split(' ') ?? [];
  const operation = RULE_OPERATIONS.find((one) => one === name);
  return operation && { actionId, type: operation };
}
