export const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
