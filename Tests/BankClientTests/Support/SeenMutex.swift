#if THREAD_SANITIZER
import BankClient

typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
