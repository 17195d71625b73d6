public import Foundation

// The declarations that `KeychainStorage` uses, with the types that Swift sees on Apple's systems. They do nothing.

public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public var kSecClass: CFString { "" }
public var kSecClassGenericPassword: CFString { "" }
public var kSecAttrAccessGroup: CFString { "" }
public var kSecAttrService: CFString { "" }
public var kSecAttrAccount: CFString { "" }
public var kSecAttrAccessible: CFString { "" }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "" }
public var kSecUseDataProtectionKeychain: CFString { "" }
public var kSecReturnData: CFString { "" }
public var kSecValueData: CFString { "" }

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
