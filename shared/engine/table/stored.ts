import type { Attributes } from './entity.ts';

/**
 * The only place where table rows are cast to a type. Attributes are read in the shape in which `store` of the same
 * entity wrote them. Nothing else writes to the table, and validating every row would cost more than reading it.
 */
export const stored = <Shape extends object>(attributes: Attributes): Shape => attributes as Shape;
