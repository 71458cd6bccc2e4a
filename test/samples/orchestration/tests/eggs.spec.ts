import { passesGate } from './gate.ts';

passesGate('eggs passes the gate');
