import type { Attributes } from './entity.ts';

/**
 * The one cast of the table. Attributes come back in the shape in which `store` of the same entity wrote them. Nothing
 * else writes to the table, and validating every row again would cost more than the read.
 */
export const stored = <Shape extends object>(attributes: Attributes): Shape => attributes as Shape;
