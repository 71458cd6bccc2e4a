/** Short constructors for steps and locations. */
import type { Step } from '#shared/context/context-wire.ts';

export const at = (file: string, line: number, column: number) => ({ file, line, column });

export const step = (
  title: string,
  category: string,
  duration: number,
  more: Partial<Pick<Step, 'error' | 'steps'>> = {},
): Step => ({ title, category, duration, error: null, steps: [], ...more });
