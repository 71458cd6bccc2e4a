import { passesGate } from './gate.ts';

passesGate('cheese passes the gate');
