/**
 * Lists in request bodies. The cost of validating a list is limited by its maximum length and does not depend on the
 * length that was sent.
 */
import * as z from 'zod';
import { describedBy } from './described.ts';
import { describeIssue, formatMemberName } from './problem.ts';

/** Refuses longer lists before validating any element. */
export const atMost = <Element extends z.ZodType>(max: number, element: Element, min = 0) =>
  z.preprocess((list: z.input<Element>[], context) => {
    if (!isLong(list, max)) return list;
    context.addIssue({ code: 'too_big', origin: 'array', maximum: max, input: list });
    return z.NEVER;
  }, z.array(element).min(min).max(max));

/** For lists of thousands: validation stops at the first invalid element and reports only that one. */
export const manyOf = <Element extends z.ZodType>(max: number, element: Element) =>
  z.preprocess(
    (list: z.input<Element>[], context) => {
      if (!Array.isArray(list) || list.length > max) return list;
      for (const [index, one] of list.entries()) {
        const { error } = element.safeParse(one, { error: describeIssue });
        if (error) return refuseValue(context, one, error, [index]);
      }
      return list;
    },
    atMost(max, element),
  );

/** Problems that an error reports of one value. A test may have thousands of problems. */
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
export function keepValid<Element extends z.ZodType>(max: number, element: Element) {
  const list = atMost(max, z.unknown()).transform((all) => {
    const validElements: z.output<Element>[] = [];
    const leftOut: LeftOut[] = [];
    for (const value of all) {
      const { success, data, error } = element.safeParse(value, { error: describeIssue });
      if (success) validElements.push(data);
      else leftOut.push({ sent: value, problem: formatFirstProblem(error) });
    }
    return { valid: validElements, leftOut };
  });
  describedBy.set(list, z.array(element).max(max));
  return list;
}

function formatFirstProblem({ issues: [issue] }: z.ZodError): string {
  if (!issue) return 'is invalid';
  const name = formatMemberName(issue.path);
  return name === '' ? issue.message : `\`${name}\` ${issue.message}`;
}

/** Drops all further elements without validating them. */
export const keepFirst = <Element extends z.ZodType>(max: number, element: Element) =>
  z.preprocess((list: z.input<Element>[]) => (isLong(list, max) ? list.slice(0, max) : list), z.array(element));

/** The value is untrusted, whatever its static type says. */
const isLong = (value: unknown, max: number): boolean => Array.isArray(value) && value.length > max;
