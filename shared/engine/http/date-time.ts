/** Times in responses: ISO 8601 strings. */
import * as z from 'zod';

export const dateTime = z.string().meta({ format: 'date-time' });

export const formatIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
