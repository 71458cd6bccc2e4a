/**
 * Lists in request bodies. The cost of validating a list is limited by its maximum length and does not depend on the
 * length that was sent.
 */
import * as z from 'zod';
import { describedBy } from './described.ts';
import { memberNameOf, problemOfIssue } from './problem.ts';

/** Allows up to `max` elements. Refuses longer lists before validating any element. */
export const atMost = <Element extends z.ZodType>(max: number, element: Element, min = 0) =>
  z.preprocess((sent: z.input<Element>[], context) => {
    if (!isLong(sent, max)) return sent;
    context.addIssue({ code: 'too_big', origin: 'array', maximum: max, input: sent });
    return z.NEVER;
  }, z.array(element).min(min).max(max));

/**
 * Allows up to `max` elements, for lists with thousands of elements: validation stops at the first invalid element and
 * reports only that one.
 */
export const manyOf = <Element extends z.ZodType>(max: number, element: Element) =>
  z.preprocess(
    (sent: z.input<Element>[], context) => {
      if (!Array.isArray(sent) || sent.length > max) return sent;
      for (const [index, one] of sent.entries()) {
        const { error } = element.safeParse(one, { error: problemOfIssue });
        if (error) return refuseValue(context, one, error, [index]);
      }
      return sent;
    },
    atMost(max, element),
  );

/** An error response reports at most this many problems of one value. A test may have thousands of problems. */
const TOLD = 3;

/** Refuses a value that another schema has refused, for the same reasons. `place` is the path of the value. */
export function refuseValue(
  context: z.core.$RefinementCtx,
  input: unknown,
  error: z.ZodError,
  place: readonly PropertyKey[] = [],
): never {
  for (const { path, message } of error.issues.slice(0, TOLD))
    context.addIssue({ code: 'custom', path: [...place, ...path], message, input });
  return z.NEVER;
}

/** An invalid element that was left out of a list: what was sent, and what is wrong with it. */
export interface LeftOut {
  readonly sent: unknown;
  readonly problem: string;
}

/**
 * Allows up to `max` elements, and leaves out invalid ones. For lists whose other elements must not be lost because of
 * one that is invalid. The caller tells the client what was left out.
 */
export function validOf<Element extends z.ZodType>(max: number, element: Element) {
  const list = atMost(max, z.unknown()).transform((all) => {
    const valid: z.output<Element>[] = [];
    const leftOut: LeftOut[] = [];
    for (const sent of all) {
      const { success, data, error } = element.safeParse(sent, { error: problemOfIssue });
      if (success) valid.push(data);
      else leftOut.push({ sent, problem: firstProblem(error) });
    }
    return { valid, leftOut };
  });
  describedBy.set(list, z.array(element).max(max));
  return list;
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (!issue) return 'is invalid';
  const name = memberNameOf(issue.path);
  return name === '' ? issue.message : `\`${name}\` ${issue.message}`;
}

/** Keeps the first `max` elements. Drops all further elements without validating them. */
export const firstOf = <Element extends z.ZodType>(max: number, element: Element) =>
  z.preprocess((sent: z.input<Element>[]) => (isLong(sent, max) ? sent.slice(0, max) : sent), z.array(element));

/** Whether the value is an array of more than `max` elements. The value is untrusted, whatever its static type says. */
const isLong = (sent: unknown, max: number): boolean => Array.isArray(sent) && sent.length > max;
