import type { Attributes } from './entity.ts';

/**
 * The only cast of table rows. Attributes come back in the shape in which `store` of the same entity wrote them.
 * Nothing else writes to the table, and validating every row would cost more than reading it.
 */
export const stored = <Shape extends object>(attributes: Attributes): Shape => attributes as Shape;
