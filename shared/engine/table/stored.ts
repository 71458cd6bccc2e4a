import type { Attributes } from './entity.ts';

/**
 * The only place where table rows are cast to a type. Attributes are read in the shape in which `store` of the same
 * entity wrote them. Nothing else writes to the table, and validating every row would cost more than reading it.
 */
export const loadAttributes = <Shape extends object>(attributes: Attributes): Shape => attributes as Shape;

export const toAttributes = (item: object): Attributes => ({ ...item });

/** Callers may pass an object with more members. */
export const pick =
  <Item extends object>(...names: readonly (keyof Item)[]) =>
  (item: Item): Attributes =>
    Object.fromEntries(names.map((name) => [name, item[name]]));
