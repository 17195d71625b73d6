// Apple's Foundation has URLSession and its types.
@_exported public import Foundation
@_exported public import FoundationNetworking
