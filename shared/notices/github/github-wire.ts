/** The parts of GitHub's answers that notices read. */
import * as z from 'zod';

export const Refusal = z.object({ message: z.string() });
