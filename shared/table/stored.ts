import type { Attributes } from './entity.ts';

/**
 * The one cast of the table: attributes that `store` of the same entity wrote come back in the shape it wrote them.
 * Nothing else writes to the table, and a second validation of every row would cost more than the read.
 */
export const stored = <Shape extends object>(attributes: Attributes): Shape => attributes as Shape;
